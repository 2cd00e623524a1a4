import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CommandOf } from '../../platform/commands/command-of.ts';
import { accountTarget } from '../account.state.ts';
import { noFactors, type SecondFactors, useRecoveryCode } from '../second-factor.decider.ts';
import type { FactorKind } from '../account.settings.ts';
import { accountStream } from '../../kernel/stream-names.ts';
import { Keyring } from '../../platform/security/keyring/keyring.ts';
import { Secrets } from '../../platform/security/keyring/secrets.ts';
import { type ChallengePurpose, Challenges } from './challenges.ts';
import { FactorStore, type PasskeyRow } from './factor-store.ts';
import { type AuthenticationResponseJSON, challengeIn, type RelyingParty, verifyAuthentication, userHandle } from './passkeys.ts';
import { RecoveryCodes } from './recovery-codes.ts';
import { isTotpCode, matchingStep } from './totp.ts';
import type { CommandContext } from '../../platform/commands/context.ts';
import { CommandRunner } from '../../platform/commands/command-runner.ts';

async function factorsOf(runner: CommandRunner, userId: number): Promise<SecondFactors> {
  const account = await runner.read(accountTarget(userId));
  return account.kind === 'open' ? account.secondFactors : noFactors;
}

/** The factors of an account that are in force, from the log itself: what a sign-in relies on must not lag behind. */
export class ReadFactors extends Command<readonly FactorKind[]> {
  constructor(readonly userId: number) {
    super();
  }
}

@CommandHandler(ReadFactors)
export class ReadFactorsHandler implements ICommandHandler<ReadFactors> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ userId }: ReadFactors): Promise<readonly FactorKind[]> {
    const { factors } = await factorsOf(this.runner, userId);
    return [...new Set([...factors.values()].map(({ kind }) => kind))];
  }
}

/** A one-time code or a recovery code. Null: wrong, or used already. */
export class ProveByCode extends CommandOf<{ userId: number; code: string }, 'totp' | 'recovery code' | null> {}

@CommandHandler(ProveByCode)
export class ProveByCodeHandler implements ICommandHandler<ProveByCode> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly keyring: Keyring,
    private readonly store: FactorStore,
    private readonly codes: RecoveryCodes,
  ) {}

  async execute({ context, fields: { userId, code } }: ProveByCode): Promise<'totp' | 'recovery code' | null> {
    const state = await factorsOf(this.runner, userId);
    const isRight = isTotpCode(code) ? await this.takeTotp(userId, code, state) : await this.takeRecovery(context, userId, code, state);
    if (!isRight) return null;
    return isTotpCode(code) ? 'totp' : 'recovery code';
  }

  private async takeTotp(userId: number, code: string, { factors }: SecondFactors): Promise<boolean> {
    for (const { factorId, secret: sealed } of await this.store.totpsOf(userId)) {
      if (!factors.has(factorId)) continue;
      const secret = await this.keyring.open({ subject: accountStream(userId), sealed });
      const step = secret === null ? null : matchingStep(secret, code, Date.now());
      if (step !== null && (await this.store.acceptStep(factorId, step))) return true;
    }
    return false;
  }

  private async takeRecovery(context: CommandContext, userId: number, code: string, { recovery }: SecondFactors): Promise<boolean> {
    if (recovery === null) return false;
    const place = await this.codes.placeOf(userId, recovery.setId, code);
    if (place === null) return false;
    const { events } = await this.runner.run(accountTarget(userId), context, (account) =>
      account.kind === 'open' ? useRecoveryCode(account.secondFactors, recovery.setId, place) : [],
    );
    return events.length > 0;
  }
}

export interface ProvenPasskey {
  readonly userId: number;
  /** By a PIN or a biometric: it needs no password beside it. */
  readonly userVerified: boolean;
}

/** The answer of an authenticator to a challenge. Null: refused. */
export class ProveByPasskey extends CommandOf<
  {
    party: RelyingParty;
    response: AuthenticationResponseJSON;
    /** Without a user: the owner of the passkey, whom the authenticator must have verified. */
    expected: ChallengePurpose;
  },
  ProvenPasskey | null
> {}

@CommandHandler(ProveByPasskey)
export class ProveByPasskeyHandler implements ICommandHandler<ProveByPasskey> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly secrets: Secrets,
    private readonly store: FactorStore,
    private readonly challenges: Challenges,
  ) {}

  /** Everything that costs nothing first: only a right signature uses the challenge up, takes the counter over and writes to the log. */
  async execute({ context, fields: { party, response, expected } }: ProveByPasskey): Promise<ProvenPasskey | null> {
    const challenge = challengeIn(response);
    if (!(await this.challenges.isValid(challenge, expected))) return null;
    const passkey = await this.passkeyOf(response, expected.userId);
    const answer = passkey === null ? null : await verifyAuthentication(party, response, passkey, challenge);
    if (passkey === null || answer === null) return null;
    if (expected.userId === null && !answer.userVerified) return null;
    if (!(await this.challenges.takeAnswer(challenge))) return null;
    const { userId, factorId } = passkey;
    if (await this.store.advanceCounter(factorId, answer.counter)) return { userId, userVerified: answer.userVerified };
    const data = { factorId, known: passkey.counter, received: answer.counter };
    const regressed = { type: 'PasskeyCounterRegressed', data } as const;
    const actor = { kind: 'user', id: String(userId) } as const;
    await this.runner.run(accountTarget(userId), { ...context, actor }, (account) => (account.kind === 'open' ? [regressed] : []));
    return null;
  }

  /** The passkey that the answer names: in force, and of the account that the challenge was made for. */
  private async passkeyOf({ id, response }: AuthenticationResponseJSON, userId: number | null): Promise<PasskeyRow | null> {
    const passkey = await this.store.passkey(id);
    if (passkey === null || (userId !== null && passkey.userId !== userId)) return null;
    const handle = Buffer.from(await userHandle(this.secrets, passkey.userId)).toString('base64url');
    // A passkey that was found without naming an account must name it itself.
    const isOwn = response.userHandle === handle || (response.userHandle === undefined && userId !== null);
    return isOwn && (await factorsOf(this.runner, passkey.userId)).factors.has(passkey.factorId) ? passkey : null;
  }
}
