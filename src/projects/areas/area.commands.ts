import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CommandOf } from '../../platform/commands/command-of.ts';
import { newObjectId } from '../../platform/commands/object-ids.ts';
import { Secrets } from '../../platform/security/keyring/secrets.ts';
import { type FormFinding, publicArea, type WantedArea } from './area.settings.ts';
import { settled } from './wanted.ts';
import { checklistTarget } from '../checks/checklist.decider.ts';
import { changeArea, createArea, deleteArea, noteFoundForm } from '../checks/check.decider.ts';
import { CommandRunner } from '../../platform/commands/command-runner.ts';
import { requireMatch } from '../../platform/commands/precondition.ts';
import { wholeProjectTarget } from '../project-stream.ts';
import { deleteInParts } from '../delete-in-parts.ts';
import { areaTagIn } from './area.view.ts';

/** Answers the id of the new area. */
export class CreateArea extends CommandOf<
  {
    projectId: string;
    /** Whatever it does not name is as in a group that the service makes itself. */
    wanted: WantedArea;
  },
  string
> {}

@CommandHandler(CreateArea)
export class CreateAreaHandler implements ICommandHandler<CreateArea> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly secrets: Secrets,
  ) {}

  async execute({ context, fields: { projectId, wanted } }: CreateArea): Promise<string> {
    const areaId = await newObjectId(this.secrets, context);
    // Nothing is kept of a sign-in before, whose site would have to be known.
    const settings = { ...publicArea, ...settled(publicArea, wanted, '') };
    await this.runner.run(checklistTarget(projectId), context, (list) => createArea(list, areaId, settings));
    return areaId;
  }
}

export class ChangeArea extends CommandOf<{ projectId: string; areaId: string; wanted: WantedArea }> {}

@CommandHandler(ChangeArea)
export class ChangeAreaHandler implements ICommandHandler<ChangeArea> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ context, fields: { projectId, areaId, wanted } }: ChangeArea): Promise<void> {
    await this.runner.run(wholeProjectTarget(projectId), context, ([project, list]) => {
      requireMatch(context, () => areaTagIn(areaId, list));
      return changeArea(list, areaId, wanted, project.kind === 'open' ? project.settings.url : '');
    });
  }
}

export class DeleteArea extends CommandOf<{ projectId: string; areaId: string }> {}

@CommandHandler(DeleteArea)
export class DeleteAreaHandler implements ICommandHandler<DeleteArea> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ context, fields: { projectId, areaId } }: DeleteArea): Promise<void> {
    await deleteInParts(this.runner, checklistTarget(projectId), context, {
      decide: (list) => deleteArea(list, areaId),
      presentTag: (list) => areaTagIn(areaId, list),
    });
  }
}

/** The sign-in form of a group was found for the first time, or otherwise than it was saved. */
export class NoteFoundForm extends CommandOf<{ projectId: string; areaId: string; form: FormFinding }> {}

@CommandHandler(NoteFoundForm)
export class NoteFoundFormHandler implements ICommandHandler<NoteFoundForm> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ context, fields: { projectId, areaId, form } }: NoteFoundForm): Promise<void> {
    await this.runner.run(checklistTarget(projectId), context, (list) => noteFoundForm(list, areaId, form));
  }
}
