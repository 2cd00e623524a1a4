import type { Erasures } from '../../security/erasures.ts';
import { EraseAccount } from '../../commands/account/erase-account.command.ts';
import type { CommandContext } from '../../commands/context.ts';
import { DismissMember } from '../../commands/member/dismiss-member.command.ts';
import { derivedId } from '../../kernel/ids.ts';
import type { ViewsAt } from '../../projections/views/views.ts';
import { projectView } from '../../projections/read-models/project/project.view.ts';

/** Nest's command bus, or whoever else carries these two out. */
export interface ErasureBus {
  execute(command: DismissMember | EraseAccount): Promise<void>;
}

/** Everything that goes with an account: the projects that it owns, its memberships, then itself and its key. */
export class AccountErasure {
  constructor(
    private readonly bus: ErasureBus,
    private readonly views: ViewsAt,
    private readonly erasures: Pick<Erasures, 'begin' | 'done'>,
  ) {}

  /** Noted before it begins: a start after a crash takes it up again. */
  async erase(context: CommandContext, userId: number): Promise<void> {
    await this.erasures.begin(userId, context);
    await this.leaveProjects(context, userId);
    await this.bus.execute(new EraseAccount(context, userId));
    // What was given to it meanwhile; from here on nothing is.
    await this.leaveProjects({ ...context, commandId: derivedId('left', context.commandId) }, userId);
    await this.erasures.done(userId);
  }

  private async leaveProjects(context: CommandContext, userId: number): Promise<void> {
    const projects = await this.views.now().list(projectView, { where: { members: { has: userId } } });
    for (const { key } of projects) await this.bus.execute(new DismissMember(context, key, userId));
  }
}
