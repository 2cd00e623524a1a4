import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CommandOf } from '../../platform/commands/command-of.ts';
import { newObjectId } from '../../platform/commands/object-ids.ts';
import { accountTarget } from '../account.state.ts';
import { requireOpenAccount } from '../account.decider.ts';
import { enrolFactor, removeAllFactors, removeFactor, renameFactor } from '../second-factor.decider.ts';
import { accountStream } from '../../kernel/stream-names.ts';
import { DomainError } from '../../kernel/errors.ts';
import { Keyring } from '../../platform/security/keyring/keyring.ts';
import { Secrets } from '../../platform/security/keyring/secrets.ts';
import { Challenges } from './challenges.ts';
import { FactorStore } from './factor-store.ts';
import { challengeIn, type RegistrationResponseJSON, type RelyingParty, verifyRegistration } from './passkeys.ts';
import { RecoveryCodes } from './recovery-codes.ts';
import { matchingStep, newTotpSecret } from './totp.ts';
import { AccountChanges } from '../tokens/account-changes.ts';
import { CommandRunner } from '../../platform/commands/command-runner.ts';
import { type ConfirmedFactor, FactorConfirmation } from './recovery-code.commands.ts';

/** The code does not confirm the app that is being added, whose secret was replaced, ran out, or gives another code. */
export class CodeNotConfirmed extends DomainError {
  readonly code = 'CODE_NOT_CONFIRMED';

  constructor() {
    super('code: is not the current code of this app, or was used already. Wait for the next one, and compare the clock of the device.');
  }
}

export class PasskeyRefused extends DomainError {
  readonly code = 'PASSKEY_REFUSED';

  constructor() {
    super(
      'passkey: does not answer a challenge of the last minutes for this site, or is known already. Ask for new options and try again.',
    );
  }
}

export class EnrolmentNotFound extends DomainError {
  readonly code = 'SECOND_FACTOR_NOT_FOUND';

  constructor() {
    super('The second factor was not found: it was begun too long ago, or another one since.');
  }
}

export interface BegunTotp {
  readonly factorId: string;
  /** The secret in the clear, which its owner sees this once. */
  readonly secret: string;
}

export class EnrolTotp extends CommandOf<{ userId: number }, BegunTotp> {}

@CommandHandler(EnrolTotp)
export class EnrolTotpHandler implements ICommandHandler<EnrolTotp> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly keyring: Keyring,
    private readonly secrets: Secrets,
    private readonly store: FactorStore,
  ) {}

  /** A repeat shows the secret of the first time. */
  async execute({ context, fields: { userId } }: EnrolTotp): Promise<BegunTotp> {
    const factorId = await newObjectId(this.secrets, context);
    const subject = accountStream(userId);
    await this.runner.run(accountTarget(userId), context, (account) =>
      enrolFactor(requireOpenAccount(account).secondFactors, { factorId, kind: 'totp' }),
    );
    const { sealed } = await this.keyring.seal(subject, newTotpSecret());
    const stored = await this.store.beginTotp(userId, factorId, sealed);
    const secret = stored === null ? null : await this.keyring.open({ subject, sealed: stored });
    if (secret === null) throw new EnrolmentNotFound();
    return { factorId, secret };
  }
}

export class ConfirmTotp extends CommandOf<
  {
    userId: number;
    factorId: string;
    name: string;
    code: string;
    /** The session that continues as confirmed. */
    tokenId: string;
  },
  ConfirmedFactor
> {}

@CommandHandler(ConfirmTotp)
export class ConfirmTotpHandler implements ICommandHandler<ConfirmTotp> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly keyring: Keyring,
    private readonly store: FactorStore,
    private readonly confirmation: FactorConfirmation,
  ) {}

  /** The code is used up before the event: what a crash leaves behind is a factor that is not in force. */
  async execute({ context, fields: { userId, factorId, name, code, tokenId } }: ConfirmTotp): Promise<ConfirmedFactor> {
    if (!(await this.runner.wasRun(accountTarget(userId), context))) {
      const row = await this.store.begunTotp(userId, factorId);
      if (row === null) throw new EnrolmentNotFound();
      const secret = await this.keyring.open({ subject: accountStream(userId), sealed: row.secret });
      const step = secret === null ? null : matchingStep(secret, code, Date.now());
      if (step === null || !(await this.store.acceptStep(factorId, step))) throw new CodeNotConfirmed();
    }
    return this.confirmation.confirm(context, userId, { factorId, kind: 'totp', name }, tokenId);
  }
}

export class AddPasskey extends CommandOf<
  { userId: number; party: RelyingParty; name: string; response: RegistrationResponseJSON; tokenId: string },
  ConfirmedFactor
> {}

@CommandHandler(AddPasskey)
export class AddPasskeyHandler implements ICommandHandler<AddPasskey> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly secrets: Secrets,
    private readonly store: FactorStore,
    private readonly challenges: Challenges,
    private readonly confirmation: FactorConfirmation,
  ) {}

  async execute({ context, fields: { userId, party, name, response, tokenId } }: AddPasskey): Promise<ConfirmedFactor> {
    const factorId = await newObjectId(this.secrets, context);
    const wanted = { factorId, kind: 'passkey' } as const;
    const target = accountTarget(userId);
    if (!(await this.runner.wasRun(target, context))) {
      const challenge = challengeIn(response);
      if (!(await this.challenges.isValid(challenge, { purpose: 'register', userId }))) throw new PasskeyRefused();
      const passkey = await verifyRegistration(party, response, challenge);
      if (passkey === null) throw new PasskeyRefused();
      enrolFactor(requireOpenAccount(await this.runner.read(target)).secondFactors, wanted);
      const isAdded = (await this.challenges.takeAnswer(challenge)) && (await this.store.addPasskey({ ...passkey, factorId, userId }));
      if (!isAdded) throw new PasskeyRefused();
    }
    return this.confirmation.confirm(context, userId, { ...wanted, name }, tokenId);
  }
}

export class RenameFactor extends CommandOf<{ userId: number; factorId: string; name: string }> {}

@CommandHandler(RenameFactor)
export class RenameFactorHandler implements ICommandHandler<RenameFactor> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly keyring: Keyring,
  ) {}

  async execute({ context, fields: { userId, factorId, name } }: RenameFactor): Promise<void> {
    const sealed = await this.keyring.seal(accountStream(userId), name);
    await this.runner.run(accountTarget(userId), context, (account) =>
      renameFactor(requireOpenAccount(account).secondFactors, factorId, sealed),
    );
  }
}

/** Removes one factor, or, with the reason of an administrator, every factor of the account. */
export class RemoveFactors extends CommandOf<
  { userId: number; what: { readonly factorId: string } | { readonly reason: string } },
  number
> {}

@CommandHandler(RemoveFactors)
export class RemoveFactorsHandler implements ICommandHandler<RemoveFactors> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly keyring: Keyring,
    private readonly store: FactorStore,
    private readonly codes: RecoveryCodes,
    private readonly changes: AccountChanges,
  ) {}

  /** The event ends a factor; its row is only tidied away. Answers how many were removed. */
  async execute({ context, fields: { userId, what } }: RemoveFactors): Promise<number> {
    const reason = 'reason' in what ? await this.keyring.seal(accountStream(userId), what.reason) : null;
    const { events, result, state } = await this.runner.run(accountTarget(userId), context, (account) => {
      const { secondFactors } = requireOpenAccount(account);
      const removed =
        reason !== null ? removeAllFactors(secondFactors, reason) : 'factorId' in what ? removeFactor(secondFactors, what.factorId) : [];
      return { events: removed, result: secondFactors.recovery?.setId };
    });
    for (const event of events) if (event.type === 'SecondFactorRemoved') await this.store.forget(userId, event.data.factorId);
    if (result !== undefined && state.kind === 'open' && state.secondFactors.recovery === null) await this.codes.forgetSet(userId, result);
    this.changes.changed(userId);
    return events.length;
  }
}
