import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CommandOf } from '../../platform/commands/command-of.ts';
import { badge, switchBadge } from './badge.decider.ts';
import { CommandRunner } from '../../platform/commands/command-runner.ts';
import { requireMatch } from '../../platform/commands/precondition.ts';
import { inOpenProject } from '../../projects/project-stream.ts';
import { badgeTagIn } from './badge.view.ts';

const run = inOpenProject(badge);

export class SwitchBadge extends CommandOf<{ projectId: string; published: boolean }> {}

@CommandHandler(SwitchBadge)
export class SwitchBadgeHandler implements ICommandHandler<SwitchBadge> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ context, fields: { projectId, published } }: SwitchBadge): Promise<void> {
    await run(this.runner, projectId, context, (today) => {
      requireMatch(context, () => badgeTagIn(projectId, today));
      return switchBadge(today, published);
    });
  }
}
