import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CommandOf } from '../../platform/commands/command-of.ts';
import { badge, switchBadge } from './badge.decider.ts';
import { requireOpenProject } from '../../projects/project.decider.ts';
import { CommandRunner } from '../../platform/commands/command-runner.ts';
import { requireMatch } from '../../platform/commands/precondition.ts';
import { withProject } from '../../projects/project-stream.ts';
import { badgeTagIn } from './badge.tag.ts';

const target = withProject(badge);

export class SwitchBadge extends CommandOf<{ projectId: string; published: boolean }> {}

@CommandHandler(SwitchBadge)
export class SwitchBadgeHandler implements ICommandHandler<SwitchBadge> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ context, fields: { projectId, published } }: SwitchBadge): Promise<void> {
    await this.runner.run(target(projectId), context, ([project, today]) => {
      requireOpenProject(project);
      requireMatch(context, () => badgeTagIn(projectId, today));
      return switchBadge(today, published);
    });
  }
}
