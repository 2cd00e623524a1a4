import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { checklistTarget } from '../../domain/check/checklist.ts';
import { type FoundForm, noteFoundForm } from '../../domain/check/decisions.ts';
import type { CommandContext } from '../context.ts';
import { CommandRunner } from '../command-runner.ts';

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
  constructor(@Inject(CommandRunner) private readonly runner: CommandRunner) {}

  async execute({ context, projectId, areaId, form }: NoteFoundForm): Promise<void> {
    await this.runner.run(checklistTarget(projectId), context, (list) => noteFoundForm(list, areaId, form));
  }
}
