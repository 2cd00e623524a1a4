import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CommandOf } from '../../platform/commands/command-of.ts';
import { objective, removeObjective, setObjective } from './objective.decider.ts';
import type { ServiceObjective } from './objective.settings.ts';
import { CommandRunner } from '../../platform/commands/command-runner.ts';
import { requireMatch } from '../../platform/commands/precondition.ts';
import { inOpenProject } from '../project-stream.ts';
import { patchedObjective } from './objective.api.ts';
import { objectiveTagIn } from './objective.view.ts';

const run = inOpenProject(objective);

/** Null removes the objective. */
export class SetObjective extends CommandOf<{ projectId: string; wanted: ServiceObjective | null }> {}

@CommandHandler(SetObjective)
export class SetObjectiveHandler implements ICommandHandler<SetObjective> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ context, fields: { projectId, wanted } }: SetObjective): Promise<void> {
    await run(this.runner, projectId, context, (today) => {
      requireMatch(context, () => objectiveTagIn(projectId, today));
      return wanted === null ? removeObjective(today) : setObjective(today, wanted);
    });
  }
}

/** A merge patch of the objective that the command decides on: a change of other members in between stays. */
export class PatchObjective extends CommandOf<{ projectId: string; patch: unknown }> {}

@CommandHandler(PatchObjective)
export class PatchObjectiveHandler implements ICommandHandler<PatchObjective> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ context, fields: { projectId, patch } }: PatchObjective): Promise<void> {
    await run(this.runner, projectId, context, (today) => {
      requireMatch(context, () => objectiveTagIn(projectId, today));
      return setObjective(today, patchedObjective(today.current, patch));
    });
  }
}
