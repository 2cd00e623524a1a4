import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CommandOf } from '../../platform/commands/command-of.ts';
import { newObjectId } from '../../platform/commands/object-ids.ts';
import { accountTarget, type Account } from '../account.state.ts';
import { isLinked, linkIdentity, mapRole, unlinkIdentity } from './identity.decider.ts';
import type { SystemRole } from '../account.settings.ts';
import { accountStream } from '../../kernel/stream-names.ts';
import { DomainError } from '../../kernel/errors.ts';
import type { Actor } from '../../kernel/event.ts';
import { derivedId } from '../../kernel/ids.ts';
import { Claims } from '../../platform/postgres/claims.ts';
import { EmailDirectory } from '../email-directory.ts';
import { Keyring } from '../../platform/security/keyring/keyring.ts';
import { Secrets } from '../../platform/security/keyring/secrets.ts';
import { IDENTITY_CLAIM, IdentityDirectory } from './identity-directory.ts';
import type { ProvidedIdentity } from './provided-identity.ts';
import { AccountChanges } from '../tokens/account-changes.ts';
import { OpenAccountHandler, OpenAccount } from '../account.commands.ts';
import type { CommandContext } from '../../platform/commands/context.ts';
import { CommandRunner, TooContended } from '../../platform/commands/command-runner.ts';

export class IdentityNotVerified extends DomainError {
  readonly code = 'IDENTITY_NOT_VERIFIED';

  constructor(claim: string) {
    super(`The sign-in provider does not say that it has verified your e-mail address (the claim ${claim}), so no account can be linked.`);
  }
}

export class NoAccountForIdentity extends DomainError {
  readonly code = 'NO_ACCOUNT_FOR_IDENTITY';

  constructor() {
    super('There is no account with your e-mail address here. Ask to be invited to a project.');
  }
}

export interface LinkingRules {
  /** The plan of a person who has no account; null: such a person is refused. */
  readonly openWithPlan: string | null;
  readonly verifiedClaim: string;
}

/** Finds, links or opens the account of a person whom the sign-in provider vouches for, and maps their role. Answers the user id, which is the actor of what it appends. */
export class RecogniseIdentity extends CommandOf<{ identity: ProvidedIdentity; rules: LinkingRules }, number> {}

@CommandHandler(RecogniseIdentity)
export class RecogniseIdentityHandler implements ICommandHandler<RecogniseIdentity> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly claims: Claims,
    private readonly keyring: Keyring,
    private readonly secrets: Secrets,
    private readonly directory: EmailDirectory,
    private readonly identities: IdentityDirectory,
    private readonly changes: AccountChanges,
    private readonly opening: OpenAccountHandler,
  ) {}

  async execute(command: RecogniseIdentity): Promise<number> {
    const { context, fields } = command;
    const { identity } = fields;
    const userId = (await this.linked(identity)) ?? (await this.link(command));
    await this.mapRole(userId, this.step(context, userId, 'map role'), identity.role);
    return userId;
  }

  /** By issuer and subject alone: an address may belong to another person by now. */
  private async linked({ issuer, subject }: ProvidedIdentity): Promise<number | null> {
    const userId = await this.identities.userIdOf(issuer, subject);
    if (userId === null) return null;
    const state = await this.runner.read(accountTarget(userId));
    if (state.kind !== 'open') return null;
    return isLinked(state, { issuer, subject: await this.keyring.seal(accountStream(userId), subject) }) ? userId : null;
  }

  /**
   * Claim issuer and subject, append, keep. A crash in between leaves an unkept claim, which the sweeper decides by the state of the account; the next
   * sign-in links again.
   */
  private async link({ context, fields: { identity, rules } }: RecogniseIdentity): Promise<number> {
    const { issuer, subject, email, isEmailVerified } = identity;
    if (email === null || !isEmailVerified) throw new IdentityNotVerified(rules.verifiedClaim);
    const userId = (await this.openAccountOf(email)) ?? (await this.open(email, identity.name, context, rules));
    const [stream, hash] = [accountStream(userId), await this.identities.hashOf(issuer, subject)];
    const linking = this.step(context, userId, 'link');
    const identityId = await newObjectId(this.secrets, linking);
    const wanted = { identityId, issuer, subject: await this.keyring.seal(stream, subject) };
    // Refused before anything is claimed.
    linkIdentity(await this.runner.read(accountTarget(userId)), wanted);
    if (!(await this.claims.claim(IDENTITY_CLAIM, hash, stream)))
      throw new TooContended('this person is being linked to an account; try again');
    await this.runner.run(accountTarget(userId), linking, (state) => linkIdentity(state, wanted));
    if (!(await this.claims.keep(IDENTITY_CLAIM, hash, stream))) throw new TooContended('linking took too long; try again');
    return userId;
  }

  private async openAccountOf(email: string): Promise<number | null> {
    const userId = await this.directory.userIdOf(email);
    return userId !== null && (await this.runner.read(accountTarget(userId))).kind === 'open' ? userId : null;
  }

  private async open(email: string, name: string, context: CommandContext, { openWithPlan: plan }: LinkingRules): Promise<number> {
    if (plan === null) throw new NoAccountForIdentity();
    const wanted = { email, name, password: null, plan, systemRole: null, confirmed: true, by: 'provider' } as const;
    return (await this.opening.execute(new OpenAccount(context, { wanted }))).userId;
  }

  private async mapRole(userId: number, context: CommandContext, role: SystemRole | null): Promise<void> {
    const { events } = await this.runner.run(accountTarget(userId), context, (state) => mapRole(state, role));
    if (events.length > 0) this.changes.changed(userId);
  }

  /** Each step is a command of its own, because all write to one stream. */
  private step(context: CommandContext, userId: number, name: string): CommandContext {
    const actor: Actor = { kind: 'user', id: String(userId) };
    return { ...context, actor, commandId: derivedId(name, context.commandId) };
  }
}

export class UnlinkIdentity extends CommandOf<{ userId: number; identityId: string }> {}

@CommandHandler(UnlinkIdentity)
export class UnlinkIdentityHandler implements ICommandHandler<UnlinkIdentity> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly claims: Claims,
    private readonly keyring: Keyring,
    private readonly identities: IdentityDirectory,
    private readonly changes: AccountChanges,
  ) {}

  /** A claim that a crash leaves behind is harmless: it counts with the event alone, and links again for the same account. */
  async execute({ context, fields: { userId, identityId } }: UnlinkIdentity): Promise<void> {
    const stream = accountStream(userId);
    const before = identityIn(await this.runner.read(accountTarget(userId)), identityId);
    await this.runner.run(accountTarget(userId), context, (state) => unlinkIdentity(state, identityId));
    this.changes.changed(userId);
    const subject = before === null ? null : await this.keyring.open(before.subject);
    if (before !== null && subject !== null)
      await this.claims.release(IDENTITY_CLAIM, await this.identities.hashOf(before.issuer, subject), stream);
  }
}

const identityIn = (state: Account, identityId: string) => (state.kind === 'open' ? (state.identities.get(identityId) ?? null) : null);
