import { Injectable } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CommandOf } from '../../platform/commands/command-of.ts';
import { Keyring } from '../../platform/security/keyring/keyring.ts';
import { Secrets } from '../../platform/security/keyring/secrets.ts';
import { TokenStore } from './token-store.ts';
import type { AccountEvents } from '../account.events.ts';
import { accountTarget } from '../account.state.ts';
import { type TokenLimits, unlimited } from '../token-scopes.ts';
import { holding, issueToken, revokeToken } from '../account.decider.ts';
import { newObjectId } from '../../platform/commands/object-ids.ts';
import { type CommandContext, systemContext } from '../../platform/commands/context.ts';
import { type SessionEnding, SessionStore } from './session-store.ts';
import { CommandRunner } from '../../platform/commands/command-runner.ts';
import { endLogin, loginTarget } from '../login.decider.ts';
import { AccountChanges } from './account-changes.ts';
import { accountStream } from '../../kernel/stream-names.ts';

export interface IssuedToken {
  readonly tokenId: string;
  readonly issuedAt: Date;
  readonly expiresAt: Date;
}

/** The second half of the end of a session. */
@Injectable()
export class SessionEnd {
  constructor(
    private readonly runner: CommandRunner,
    private readonly sessions: SessionStore,
    private readonly changes: AccountChanges,
  ) {}

  /**
   * The session is invalid from its note on; the process that completes it appends the event of the one that began. While the sign-in is not yet
   * recorded, the row stays: the sign-in completes the ending itself, and the row of one that crashed expires.
   */
  async complete(userId: number, tokenId: string, ending: SessionEnding, recordAppend: CommandContext['recordAppend']): Promise<void> {
    this.changes.changed(userId);
    const { actor, commandId, occurredAt, requestHash } = ending;
    const asBegun = systemContext(actor, Date.parse(occurredAt), { commandId, recordAppend });
    const context = requestHash === undefined ? asBegun : { ...asBegun, requestHash };
    const { state } = await this.runner.run(loginTarget(userId, tokenId), context, (login) => endLogin(login, tokenId));
    if (state !== 'none') await this.sessions.completeEnding(tokenId);
  }
}

type NarrowedTo = Pick<AccountEvents['TokenIssued'], 'scopes' | 'projects' | 'addresses'>;

/** A personal access token. */
export class IssueToken extends CommandOf<{ userId: number; name: string; expiresAt: Date; limits?: TokenLimits }, IssuedToken> {}

@CommandHandler(IssueToken)
export class IssueTokenHandler implements ICommandHandler<IssueToken> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly keyring: Keyring,
    private readonly secrets: Secrets,
    private readonly tokens: TokenStore,
  ) {}

  /**
   * A repeat answers the times of the first time, and so the very same token. A token that ends meanwhile stays ended: the command that ends it deletes the
   * row after the event as well, and the second read here deletes a row that is added even later.
   */
  async execute({ context, fields: { userId, name, expiresAt: wanted, limits = unlimited } }: IssueToken): Promise<IssuedToken> {
    const tokenId = await newObjectId(this.secrets, context);
    const sealed = await this.keyring.seal(accountStream(userId), name);
    const narrowed = await this.narrowed(userId, limits);
    const token = { tokenId, kind: 'personal', name: sealed, expiresAt: wanted.toISOString(), ...narrowed } as const;
    const target = accountTarget(userId);
    const now = Date.parse(context.occurredAt);
    const { events, state } = await this.runner.run(target, context, (account) => issueToken(account, token, now));
    holding(state, tokenId);
    const first = events.find((event) => event.type === 'TokenIssued');
    const issuedAt = new Date(first?.meta.occurredAt ?? context.occurredAt);
    const expiresAt = first === undefined ? wanted : new Date(first.data.expiresAt);
    await this.tokens.add({ tokenId, userId, kind: 'personal', issuedAt, expiresAt }, null);
    try {
      holding(await this.runner.read(target), tokenId);
    } catch (error) {
      await this.tokens.revoke(userId, tokenId);
      throw error;
    }
    return { tokenId, issuedAt, expiresAt };
  }

  private async narrowed(userId: number, { scopes, projects, addresses }: TokenLimits): Promise<NarrowedTo> {
    const sealed = addresses === null ? null : await this.keyring.seal(accountStream(userId), JSON.stringify(addresses));
    return { ...(scopes && { scopes }), ...(projects && { projects }), ...(sealed && { addresses: sealed }) };
  }
}

/** Ends a personal access token or a session. */
export class RevokeToken extends CommandOf<{ userId: number; tokenId: string }> {}

@CommandHandler(RevokeToken)
export class RevokeTokenHandler implements ICommandHandler<RevokeToken> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly tokens: TokenStore,
    private readonly sessions: SessionStore,
    private readonly changes: AccountChanges,
    private readonly sessionEnd: SessionEnd,
  ) {}

  async execute({ context, fields: { userId, tokenId } }: RevokeToken): Promise<void> {
    context.gate?.check();
    const ending = await this.sessions.beginEnding(userId, tokenId, endingOf(context));
    if (ending !== null) return this.sessionEnd.complete(userId, tokenId, ending, context.recordAppend);
    // The repeat of a command that has ended the session.
    if (await this.runner.wasRun(loginTarget(userId, tokenId), context)) return;
    await this.revokePersonal(context, userId, tokenId);
  }

  /** The event ends it: a personal token is good only while its account has it. The row is only tidied away. */
  private async revokePersonal(context: CommandContext, userId: number, tokenId: string): Promise<void> {
    await this.runner.run(accountTarget(userId), context, (account) => revokeToken(account, tokenId));
    await this.tokens.revoke(userId, tokenId);
    this.changes.changed(userId);
  }
}

export const endingOf = ({ actor, commandId, occurredAt, requestHash }: CommandContext): SessionEnding => ({
  actor,
  commandId,
  occurredAt,
  ...(requestHash === undefined ? {} : { requestHash }),
});
