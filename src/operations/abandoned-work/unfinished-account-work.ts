import { forgetEndedUse } from '../../platform/postgres/shared-windows.ts';
import type pg from 'pg';
import type { Claim } from '../../platform/postgres/claims.ts';
import { EMAIL_CLAIM } from '../../accounts/email-directory.ts';
import type { ErasureRequest } from '../../platform/security/erasures.ts';
import { IDENTITY_CLAIM } from '../../accounts/identities/identity-directory.ts';
import { SignInCodes } from '../../accounts/identities/sign-in-codes.ts';
import type { Invitations } from '../../accounts/tokens/invitations.ts';
import { PostgresInvitations } from '../../accounts/tokens/postgres-invitations.ts';
import { LinkStore } from '../../accounts/tokens/link-store.ts';
import type { Secrets } from '../../platform/security/keyring/secrets.ts';
import { GuessStore } from '../../accounts/tokens/guess-store.ts';
import { KnownNetworks } from '../../accounts/tokens/known-networks.ts';
import { SessionStore } from '../../accounts/tokens/session-store.ts';
import { Challenges } from '../../accounts/second-factors/challenges.ts';
import { ScopeUses } from '../../accounts/tokens/scope-uses.ts';
import { TokenStore } from '../../accounts/tokens/token-store.ts';
import { LOGIN_WINDOW_SECONDS, TryStore } from '../../accounts/tokens/try-store.ts';
import { SettlePassword } from '../../accounts/passwords/password.commands.ts';
import { RevokeToken } from '../../accounts/tokens/token.commands.ts';
import { systemContext } from '../../platform/commands/context.ts';
import { ExpireInvitation } from '../../projects/members/invitation.commands.ts';
import { DismissMember } from '../../projects/members/member.commands.ts';
import { PROJECT_SLOT } from '../../projects/project-slot.ts';
import { accountTarget } from '../../accounts/account.state.ts';
import { abandonOpening } from '../../accounts/account.decider.ts';
import { derivedId } from '../../kernel/ids.ts';
import { ReadsBehind, type ReadYourWrites } from '../../platform/read-models/engine/read-your-writes.ts';
import type { AccountTools } from '../../app/account-tools.ts';

const sweeper = { kind: 'reactor', id: 'sweeper' } as const;

const INVITATIONS_A_RUN = 200;

const TRANSFERRED_TO_ERASED = `
  SELECT erasures.user_id, erasures.noted, claim.holder FROM claim JOIN erasures ON erasures.user_id::text = split_part(claim.key, '/', 1)
  WHERE claim.kind = $1 AND erasures.done_at IS NOT NULL`;

export interface UnfinishedAccountWorkParts {
  readonly pool: pg.Pool;
  readonly secrets: Secrets;
  readonly readYourWrites: Pick<ReadYourWrites, 'check'>;
}

/** Completes erasures, password changes and sign-outs that a crash interrupted, and deletes expired tokens, links and login attempts. */
export class UnfinishedAccountWork {
  constructor(
    private readonly parts: UnfinishedAccountWorkParts,
    private readonly tools: AccountTools,
  ) {}

  async run(): Promise<void> {
    for (const { userId, request } of this.isReadable() ? await this.tools.erasures.unfinished() : []) {
      const own = systemContext(sweeper, Date.now(), { commandId: derivedId('finish-erasure', userId) });
      await this.tools.erasure.erase({ ...own, ...request }, userId);
    }
    await this.dismissFromTransferredProjects();
    for (const { userId } of await this.tools.passwordChanges.pending()) await this.tools.commands.execute(new SettlePassword(userId));
    const { pool } = this.parts;
    for (const { userId, tokenId, ending } of await new SessionStore(pool).endings()) {
      const context = systemContext(ending.actor, Date.parse(ending.occurredAt), { commandId: ending.commandId });
      await this.tools.commands.execute(new RevokeToken(context, { userId, tokenId }));
    }
    await this.expireInvitations(new PostgresInvitations(pool));
    await Promise.all([
      new GuessStore(pool, 0).forgetOld(),
      new KnownNetworks(pool, this.parts.secrets).forgetOld(),
      new Challenges(pool, this.parts.secrets).forgetExpired(),
      new TokenStore(pool).forgetExpired(),
      new ScopeUses(pool).forgetOld(),
      new LinkStore(pool).forgetExpired(),
      new SignInCodes(pool).forgetExpired(),
      new TryStore(pool, LOGIN_WINDOW_SECONDS).forgetOld(),
      forgetEndedUse(pool),
    ]);
  }

  private async expireInvitations(invitations: Invitations): Promise<void> {
    for (const invitation of await invitations.due(INVITATIONS_A_RUN))
      await this.tools.commands.execute(new ExpireInvitation(systemContext(sweeper, Date.now()), { invitation }));
  }

  /** A transfer that raced with the erasure of its receiver: neither saw the other, but the claimed project slot shows it. */
  private async dismissFromTransferredProjects(): Promise<void> {
    const { rows } = await this.parts.pool.query<{ user_id: number; noted: ErasureRequest | null; holder: string }>(TRANSFERRED_TO_ERASED, [
      PROJECT_SLOT,
    ]);
    for (const { user_id: userId, noted, holder } of rows) {
      const own = { ...systemContext(sweeper, Date.now()), ...noted, commandId: derivedId('given to erased', userId, holder) };
      await this.tools.commands.execute(new DismissMember(own, { projectId: holder, userId }));
    }
  }

  /** An erasure finds projects and memberships in the read models, so it waits until those are complete, as after a restore. */
  isReadable(): boolean {
    try {
      this.parts.readYourWrites.check();
      return true;
    } catch (error) {
      if (error instanceof ReadsBehind) return false;
      throw error;
    }
  }

  private async isLinked(userId: number, key: string): Promise<boolean> {
    const state = await this.tools.runner.read(accountTarget(userId));
    const identities = state.kind === 'open' ? [...state.identities.values()] : [];
    for (const { issuer, subject } of identities) {
      const opened = await this.tools.keyring.open(subject);
      if (opened !== null && (await this.tools.identities.hashOf(issuer, opened)) === key) return true;
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
    const { state } = await this.tools.runner.run(accountTarget(userId), context, (account) => abandonOpening(account, key));
    return state.kind === 'open' ? 'holder won' : 'fenced';
  }
}
