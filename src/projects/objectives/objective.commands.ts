import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CommandOf } from '../../platform/commands/command-of.ts';
import { objective, removeObjective, setObjective } from './objective.decider.ts';
import type { ServiceObjective } from './objective.settings.ts';
import { requireOpenProject } from '../project.decider.ts';
import { CommandRunner } from '../../platform/commands/command-runner.ts';
import { requireMatch } from '../../platform/commands/precondition.ts';
import { withProject } from '../project-stream.ts';
import { objectiveTagIn } from './objective.tag.ts';

const target = withProject(objective);

/** The objective that follows on today's, which is null where the project has none; null: it is removed. */
export type WantedObjective = (today: ServiceObjective | null) => ServiceObjective | null;

export class SetObjective extends CommandOf<{ projectId: string; wanted: WantedObjective }> {}

@CommandHandler(SetObjective)
export class SetObjectiveHandler implements ICommandHandler<SetObjective> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ context, fields: { projectId, wanted } }: SetObjective): Promise<void> {
    await this.runner.run(target(projectId), context, ([project, today]) => {
      requireOpenProject(project);
      requireMatch(context, () => objectiveTagIn(projectId, today));
      const next = wanted(today.current);
      return next === null ? removeObjective(today) : setObjective(today, next);
    });
  }
}
