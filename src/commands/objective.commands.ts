import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { objective, removeObjective, setObjective } from '../domain/objective/objective.ts';
import type { ServiceObjective } from '../domain/objective/settings.ts';
import { requireOpenProject } from '../domain/project/decisions.ts';
import type { CommandContext } from './context.ts';
import { CommandRunner } from './command-runner.ts';
import { withProject } from './project-stream.ts';

const target = withProject(objective);

/** `wanted` null: the objective is removed. */
export class SetObjective extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly projectId: string,
    readonly wanted: ServiceObjective | null,
  ) {
    super();
  }
}

@CommandHandler(SetObjective)
export class SetObjectiveHandler implements ICommandHandler<SetObjective> {
  constructor(@Inject(CommandRunner) private readonly runner: CommandRunner) {}

  async execute({ context, projectId, wanted }: SetObjective): Promise<void> {
    await this.runner.run(target(projectId), context, ([project, today]) => {
      requireOpenProject(project);
      return wanted === null ? removeObjective(today) : setObjective(today, wanted);
    });
  }
}
