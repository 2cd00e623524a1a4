import type { Erasures } from '../../base/erasures.ts';
import { EraseAccount } from '../../commands/account/erase-account.command.ts';
import type { CommandContext } from '../../commands/context.ts';
import { DismissMember } from '../../commands/member/dismiss-member.command.ts';
import { DeleteProject } from '../../commands/project/delete-project.command.ts';
import type { ViewsAt } from '../../projections/kit/views.ts';
import { projectView } from '../../projections/project/project.view.ts';

/** Nest's command bus, or whoever else carries these three out. */
export interface ErasureBus {
  execute(command: DeleteProject | DismissMember | EraseAccount): Promise<void>;
}

/** Everything that goes with an account: the projects that it owns, its memberships, then itself and its key. */
export class AccountErasure {
  constructor(
    private readonly bus: ErasureBus,
    private readonly views: ViewsAt,
    private readonly erasures: Erasures,
  ) {}

  /** Noted before it begins: a start after a crash takes it up again. */
  async erase(context: CommandContext, userId: number): Promise<void> {
    await this.erasures.begin(userId, context);
    const projects = await this.views.now().list(projectView, { where: { members: { has: userId } } });
    for (const { key, row } of projects) {
      await this.bus.execute(row.payerId === userId ? new DeleteProject(context, key, userId) : new DismissMember(context, key, userId));
    }
    await this.bus.execute(new EraseAccount(context, userId));
    await this.erasures.done(userId);
  }
}
