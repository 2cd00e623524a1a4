import type { Invitations } from '../tokens/invitations.ts';
import type { Erasures } from '../../platform/security/erasures.ts';
import { EraseAccount } from '../account.commands.ts';
import type { CommandContext } from '../../platform/commands/context.ts';
import { DeclineInvitation } from '../../projects/members/invitation.commands.ts';
import { DismissMember } from '../../projects/members/member.commands.ts';
import { derivedId } from '../../kernel/ids.ts';
import type { ViewsAt } from '../../platform/read-models/views/views.ts';
import { projectView } from '../../projects/project.view.ts';

/** Port: the last mail to an account, stored before the key of its address is destroyed. */
export abstract class ErasureNotices {
  abstract store(userId: number): Promise<void>;
}

/** Nest's command bus, or another executor of these commands. */
export interface ErasureBus {
  execute(command: DeclineInvitation | DismissMember | EraseAccount): Promise<void>;
}

/** The process manager of an erasure: deletes the projects that the account owns, ends its memberships, then erases it and its key (crypto-shredding). */
export class AccountErasure {
  constructor(
    private readonly bus: ErasureBus,
    private readonly views: ViewsAt,
    private readonly erasures: Pick<Erasures, 'begin' | 'done'>,
    private readonly invitations: Pick<Invitations, 'of'>,
    private readonly notice: ErasureNotices,
  ) {}

  /** Recorded before the first step, so that it is resumed after a crash. */
  async erase(context: CommandContext, userId: number): Promise<void> {
    await this.erasures.begin(userId, context);
    await this.leaveProjects(context, userId);
    await this.notice.store(userId);
    await this.bus.execute(new EraseAccount(context, { userId }));
    // Projects transferred to it during the erasure; from here on transfers are refused.
    await this.leaveProjects({ ...context, commandId: derivedId('left', context.commandId) }, userId);
    await this.erasures.done(userId);
  }

  /** Pending invitations and offers are declined, which also deletes the address in them. */
  private async leaveProjects(context: CommandContext, userId: number): Promise<void> {
    for (const invitation of await this.invitations.of(userId)) {
      const commandId = derivedId('declined', context.commandId, invitation.id);
      await this.bus.execute(new DeclineInvitation({ ...context, commandId }, { invitation }));
    }
    const projects = await this.views.now().list(projectView, { where: { members: { has: userId } } });
    for (const { key } of projects) await this.bus.execute(new DismissMember(context, { projectId: key, userId }));
  }
}
