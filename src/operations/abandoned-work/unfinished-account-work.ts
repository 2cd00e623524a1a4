import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import pg from 'pg';
import { forgetEndedUse } from '../../platform/postgres/shared-windows.ts';
import type { Claim } from '../../platform/postgres/claims.ts';
import { EMAIL_CLAIM } from '../../accounts/email-directory.ts';
import { type ErasureRequest, Erasures } from '../../platform/security/erasures.ts';
import { AccountErasure } from '../../accounts/erasure/account-erasure.ts';
import { IDENTITY_CLAIM, IdentityDirectory } from '../../accounts/identities/identity-directory.ts';
import { SignInCodes } from '../../accounts/identities/sign-in-codes.ts';
import { Invitations } from '../../accounts/tokens/invitations.ts';
import { LinkStore } from '../../accounts/tokens/link-store.ts';
import { PasswordChanges } from '../../accounts/passwords/password-changes.ts';
import { CommandRunner } from '../../platform/commands/command-runner.ts';
import { Keyring } from '../../platform/security/keyring/keyring.ts';
import { GuessStore } from '../../accounts/tokens/guess-store.ts';
import { KnownNetworks } from '../../accounts/tokens/known-networks.ts';
import { SessionStore } from '../../accounts/tokens/session-store.ts';
import { Challenges } from '../../accounts/second-factors/challenges.ts';
import { ScopeUses } from '../../accounts/tokens/token-uses.ts';
import { TokenStore } from '../../accounts/tokens/token-store.ts';
import { TryStore } from '../../accounts/tokens/try-store.ts';
import { SettlePassword } from '../../accounts/passwords/password.commands.ts';
import { RevokeToken } from '../../accounts/tokens/token.commands.ts';
import { systemContext } from '../../platform/commands/context.ts';
import { ExpireInvitation } from '../../projects/members/invitation.commands.ts';
import { DismissMember } from '../../projects/members/member.commands.ts';
import { PROJECT_SLOT } from '../../projects/project-slot.ts';
import { accountTarget } from '../../accounts/account.state.ts';
import { abandonOpening } from '../../accounts/account.decider.ts';
import { derivedId } from '../../kernel/ids.ts';
import { ReadsBehind, ReadYourWrites } from '../../platform/read-models/engine/read-your-writes.ts';

const sweeper = { kind: 'reactor', id: 'sweeper' } as const;

const INVITATIONS_A_RUN = 200;

const TRANSFERRED_TO_ERASED = `
  SELECT erasures.user_id, erasures.noted, claim.holder FROM claim JOIN erasures ON erasures.user_id::text = split_part(claim.key, '/', 1)
  WHERE claim.kind = $1 AND erasures.done_at IS NOT NULL`;

/** Rows of accounts that mean nothing any more. */
@Injectable()
export class ExpiredAccountRows {
  constructor(
    private readonly pool: pg.Pool,
    private readonly guesses: GuessStore,
    private readonly networks: KnownNetworks,
    private readonly challenges: Challenges,
    private readonly tokens: TokenStore,
    private readonly scopes: ScopeUses,
    private readonly links: LinkStore,
    private readonly codes: SignInCodes,
    private readonly tries: TryStore,
  ) {}

  async delete(): Promise<void> {
    await Promise.all([
      this.guesses.forgetOld(),
      this.networks.forgetOld(),
      this.challenges.forgetExpired(),
      this.tokens.forgetExpired(),
      this.scopes.forgetOld(),
      this.links.forgetExpired(),
      this.codes.forgetExpired(),
      this.tries.forgetOld(),
      forgetEndedUse(this.pool),
    ]);
  }
}

/** Completes erasures, password changes and sign-outs that a crash interrupted, and deletes expired tokens, links and login attempts. */
@Injectable()
export class UnfinishedAccountWork {
  constructor(
    private readonly pool: pg.Pool,
    private readonly readYourWrites: ReadYourWrites,
    private readonly commands: CommandBus,
    private readonly runner: CommandRunner,
    private readonly keyring: Keyring,
    private readonly identities: IdentityDirectory,
    private readonly passwordChanges: PasswordChanges,
    private readonly sessions: SessionStore,
    private readonly invitations: Invitations,
    private readonly erasures: Erasures,
    private readonly erasure: AccountErasure,
    private readonly expired: ExpiredAccountRows,
  ) {}

  async run(): Promise<void> {
    for (const { userId, request } of this.isReadable() ? await this.erasures.unfinished() : []) {
      const own = systemContext(sweeper, Date.now(), { commandId: derivedId('finish-erasure', userId) });
      await this.erasure.erase({ ...own, ...request }, userId);
    }
    await this.dismissFromTransferredProjects();
    for (const { userId } of await this.passwordChanges.pending()) await this.commands.execute(new SettlePassword(userId));
    for (const { userId, tokenId, ending } of await this.sessions.endings()) {
      const context = systemContext(ending.actor, Date.parse(ending.occurredAt), { commandId: ending.commandId });
      await this.commands.execute(new RevokeToken(context, { userId, tokenId }));
    }
    await this.expireInvitations();
    await this.expired.delete();
  }

  private async expireInvitations(): Promise<void> {
    for (const invitation of await this.invitations.due(INVITATIONS_A_RUN))
      await this.commands.execute(new ExpireInvitation(systemContext(sweeper, Date.now()), { invitation }));
  }

  /** A transfer that raced with the erasure of its receiver: neither saw the other, but the claimed project slot shows it. */
  private async dismissFromTransferredProjects(): Promise<void> {
    const { rows } = await this.pool.query<{ user_id: number; noted: ErasureRequest | null; holder: string }>(TRANSFERRED_TO_ERASED, [
      PROJECT_SLOT,
    ]);
    for (const { user_id: userId, noted, holder } of rows) {
      const own = { ...systemContext(sweeper, Date.now()), ...noted, commandId: derivedId('given to erased', userId, holder) };
      await this.commands.execute(new DismissMember(own, { projectId: holder, userId }));
    }
  }

  /** An erasure finds projects and memberships in the read models, so it waits until those are complete, as after a restore. */
  isReadable(): boolean {
    try {
      this.readYourWrites.check();
      return true;
    } catch (error) {
      if (error instanceof ReadsBehind) return false;
      throw error;
    }
  }

  private async isLinked(userId: number, key: string): Promise<boolean> {
    const state = await this.runner.read(accountTarget(userId));
    const identities = state.kind === 'open' ? [...state.identities.values()] : [];
    for (const { issuer, subject } of identities) {
      const opened = await this.keyring.open(subject);
      if (opened !== null && (await this.identities.hashOf(issuer, opened)) === key) return true;
    }
    return false;
  }

  /** Appends a fence to the account's stream, which a late opening conflicts with. Null for a claim of another kind. */
  async fence({ kind, key, holder }: Claim): Promise<'fenced' | 'holder won' | null> {
    const userId = Number(holder.slice(holder.indexOf('-') + 1));
    // No fence: a link that is appended later counts nothing without its claim, and the next sign-in claims again.
    if (kind === IDENTITY_CLAIM) return (await this.isLinked(userId, key)) ? 'holder won' : 'fenced';
    if (kind !== EMAIL_CLAIM) return null;
    const context = systemContext(sweeper, Date.now(), { commandId: derivedId('fence', kind, key, holder) });
    const { state } = await this.runner.run(accountTarget(userId), context, (account) => abandonOpening(account, key));
    return state.kind === 'open' ? 'holder won' : 'fenced';
  }
}
