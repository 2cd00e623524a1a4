import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { checklistTarget } from '../../domain/check/checklist.ts';
import { type FoundForm, noteFoundForm } from '../../domain/check/decisions.ts';
import type { CommandContext } from '../context.ts';
import { Handling } from '../handle.ts';

/** The sign-in form of a group was found otherwise than it was saved. */
export class NoteFoundForm extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly projectId: string,
    readonly areaId: string,
    readonly form: FoundForm,
  ) {
    super();
  }
}

@CommandHandler(NoteFoundForm)
export class NoteFoundFormHandler implements ICommandHandler<NoteFoundForm> {
  constructor(@Inject(Handling) private readonly handling: Handling) {}

  async execute({ context, projectId, areaId, form }: NoteFoundForm): Promise<void> {
    await this.handling.change(checklistTarget(projectId), context, (list) => noteFoundForm(list, areaId, form));
  }
}
