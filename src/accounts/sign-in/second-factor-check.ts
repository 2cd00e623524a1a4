import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ProveByCode, ProveByPasskey, type ProvenPasskey, ReadFactors } from '../second-factors/factor-proof.commands.ts';
import { CONFIG, type Config } from '../../platform/config/config.ts';
import { LimitMeter } from '../../kernel/limits.ts';
import type { FactorKind, SignInFactor } from '../account.settings.ts';
import { type ChallengePurpose, Challenges } from '../second-factors/challenges.ts';
import { FactorStore } from '../second-factors/factor-store.ts';
import {
  type AuthenticationResponseJSON,
  authenticationOptions,
  type PublicKeyCredentialRequestOptionsJSON,
  relyingPartyOf,
  requireRelyingParty,
} from '../second-factors/passkeys.ts';
import { isTotpCode } from '../second-factors/totp.ts';
import { type RequestContext, RequestContexts } from '../../platform/http/context/request-context.ts';
import type { FactorChoice } from '../../platform/http/errors/refusals.ts';
import { LoginThrottle } from './login-throttle.ts';

/** What a client sends besides a password, or instead of it. */
export interface GivenFactor {
  readonly code?: string | null | undefined;
  readonly passkey?: AuthenticationResponseJSON | null | undefined;
}

export interface ProvenFactor {
  readonly kind: Exclude<SignInFactor, 'provider'>;
  /** A passkey with which the authenticator verified its user needs no password. */
  readonly needsPassword: boolean;
}

/** Checks second factors for signing in and for confirming who one is. */
@Injectable()
export class SecondFactorCheck {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly commands: CommandBus,
    private readonly challenges: Challenges,
    private readonly store: FactorStore,
    private readonly throttle: LoginThrottle,
    private readonly contexts: RequestContexts,
    private readonly meter: LimitMeter,
  ) {}

  kindsOf(userId: number): Promise<readonly FactorKind[]> {
    return this.commands.execute(new ReadFactors(userId));
  }

  /** What a client can go on with. */
  async choiceOf(userId: number, kinds: readonly FactorKind[], purpose: 'second factor' | 'confirm'): Promise<FactorChoice> {
    const isPossible = relyingPartyOf(this.config) !== null;
    const passkey = kinds.includes('passkey') && isPossible ? await this.passkeyOptions({ purpose, userId }) : null;
    return { kinds: [...kinds, 'recovery code'], passkey };
  }

  /** Without a user, the options admit any passkey that the authenticator holds for this site. */
  async passkeyOptions(purpose: ChallengePurpose): Promise<PublicKeyCredentialRequestOptionsJSON> {
    const known = purpose.userId === null ? [] : await this.store.passkeysOf(purpose.userId);
    return authenticationOptions(requireRelyingParty(this.config), await this.challenges.create(purpose), known);
  }

  /** Answers null for a factor that is wrong, or was used already. Guesses of one-time codes pause by themselves; the caller counts every failure. */
  async prove(userId: number, given: GivenFactor, purpose: 'second factor' | 'confirm'): Promise<ProvenFactor | null> {
    const proven = await this.proven(userId, given, purpose);
    if (proven === null) this.meter.refused('second_factors');
    return proven;
  }

  private async proven(userId: number, { code, passkey }: GivenFactor, purpose: 'second factor' | 'confirm'): Promise<ProvenFactor | null> {
    const context = this.contexts.of({ kind: 'user', id: String(userId) });
    if (typeof code === 'string') return this.proveByCode(context, userId, code.trim());
    if (passkey === null || passkey === undefined) return null;
    const proven = await this.provePasskey(context, passkey, { purpose, userId });
    return proven === null ? null : { kind: 'passkey', needsPassword: !proven.userVerified };
  }

  /** Answers the owner of a passkey that is used by itself, by a person who is not identified yet; null when it is refused. */
  async identify(passkey: AuthenticationResponseJSON): Promise<number | null> {
    // The command names the owner of the passkey in what it writes.
    const context = this.contexts.of({ kind: 'user', id: '0' });
    const proven = await this.provePasskey(context, passkey, { purpose: 'sign in', userId: null });
    if (proven === null) this.meter.refused('second_factors');
    return proven?.userId ?? null;
  }

  private async proveByCode(context: RequestContext, userId: number, code: string): Promise<ProvenFactor | null> {
    const guesses = isTotpCode(code) ? await this.throttle.codeGuesses(userId) : null;
    await guesses?.refuseIfExhausted();
    const kind = await this.commands.execute(new ProveByCode(context, { userId, code }));
    if (kind === null) await guesses?.recordFailure();
    // Concurrent guesses may have begun a pause: then a right one among them does not count.
    else await guesses?.refuseIfExhausted();
    return kind === null ? null : { kind, needsPassword: true };
  }

  private async provePasskey(
    context: RequestContext,
    passkey: AuthenticationResponseJSON,
    expected: ChallengePurpose,
  ): Promise<ProvenPasskey | null> {
    const party = relyingPartyOf(this.config);
    return party === null ? null : this.commands.execute(new ProveByPasskey(context, { party, response: passkey, expected }));
  }
}
