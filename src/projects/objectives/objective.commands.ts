import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CommandOf } from '../../platform/commands/command-of.ts';
import { objective, removeObjective, setObjective } from './objective.decider.ts';
import { noObjective, type ServiceObjective } from './objective.settings.ts';
import { CommandRunner } from '../../platform/commands/command-runner.ts';
import { requireMatch } from '../../platform/commands/precondition.ts';
import { inOpenProject } from '../project-stream.ts';
import { objectiveTagIn } from './objective.tag.ts';

const run = inOpenProject(objective);

/** What `wanted` does not name stays; null: the objective is removed. */
export class SetObjective extends CommandOf<{ projectId: string; wanted: Partial<ServiceObjective> | null }> {}

@CommandHandler(SetObjective)
export class SetObjectiveHandler implements ICommandHandler<SetObjective> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ context, fields: { projectId, wanted } }: SetObjective): Promise<void> {
    await run(this.runner, projectId, context, (today) => {
      requireMatch(context, () => objectiveTagIn(projectId, today));
      return wanted === null ? removeObjective(today) : setObjective(today, { ...(today.current ?? noObjective), ...wanted });
    });
  }
}
