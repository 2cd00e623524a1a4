import type { Invitations, StoredInvitation } from '../tokens/invitations.ts';
import type { Erasures } from '../../platform/security/erasures.ts';
import { EraseAccount } from '../account.commands.ts';
import type { CommandContext } from '../../platform/commands/context.ts';
import { derivedId } from '../../kernel/ids.ts';

/** Port: the last mail to an account, stored before the key of its address is destroyed. */
export abstract class ErasureNotices {
  abstract store(userId: number): Promise<void>;
}

/** Port: deletes the projects that an account owns, ends its memberships, and declines what it was invited to, which also deletes the address in it. */
export abstract class Departures {
  abstract leave(context: CommandContext, userId: number, pending: readonly StoredInvitation[]): Promise<void>;
}

/** Port: deletes what accounts that have ended leave in a capability that can be absent. */
export abstract class AccountOrphans {
  abstract deleteOfErased(): Promise<void>;
  abstract deleteOfEndedServices(): Promise<void>;
}

/** Nest's command bus, or another executor of this command. */
export interface ErasureBus {
  execute(command: EraseAccount): Promise<void>;
}

/** The process manager of an erasure: deletes the projects that the account owns, ends its memberships, then erases it and its key (crypto-shredding). */
export class AccountErasure {
  constructor(
    private readonly bus: ErasureBus,
    private readonly erasures: Pick<Erasures, 'begin' | 'done'>,
    private readonly invitations: Pick<Invitations, 'of'>,
    private readonly departures: Departures,
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

  private async leaveProjects(context: CommandContext, userId: number): Promise<void> {
    await this.departures.leave(context, userId, await this.invitations.of(userId));
  }
}
