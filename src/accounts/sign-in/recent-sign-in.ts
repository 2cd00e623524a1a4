import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import { CONFIG, type Config } from '../../platform/config/config.ts';
import { SettlePassword } from '../passwords/password.commands.ts';
import { InvalidInput } from '../../kernel/errors.ts';
import { Passwords } from '../passwords/passwords.ts';
import { AccountChanges } from '../tokens/account-changes.ts';
import { SessionStore } from '../tokens/session-store.ts';
import type { Principal } from '../../platform/http/context/principal.ts';
import { RequestContexts } from '../../platform/http/context/request-context.ts';
import {
  FactorConfirmationNeeded,
  Forbidden,
  NotAuthenticated,
  PasswordWrong,
  RecentSignInNeeded,
  SecondFactorWrong,
} from '../../platform/http/errors/refusals.ts';
import { MAX_CODE, MAX_PASSWORD } from './authenticate.api.ts';
import { ForcedDomains } from './provider/forced-domains.ts';
import { LoginThrottle } from './login-throttle.ts';
import { type GivenFactor, SecondFactorCheck } from './second-factor-check.ts';
import { principalSlot, refusalSlot } from '../../platform/http/context/request-state.ts';
import { KeyedWrites } from '../../platform/http/idempotency/keyed-writes.ts';
import { needsRecentSignIn } from '../rights/needs.ts';

/** The password of a request, and the member of the body that held it. */
export interface GivenPassword {
  readonly password: string;
  readonly field: string;
}

/** Decides whether the caller has confirmed who they are recently enough for what takes over or ends an account. */
@Injectable()
export class RecentSignIn {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly commands: CommandBus,
    private readonly passwords: Passwords,
    private readonly throttle: LoginThrottle,
    private readonly factors: SecondFactorCheck,
    private readonly sessions: SessionStore,
    private readonly changes: AccountChanges,
    private readonly contexts: RequestContexts,
    private readonly forced: ForcedDomains,
  ) {}

  /**
   * Passes with a token that was signed in within REAUTHENTICATE_MINUTES, or with the password as a member of the body, and of an account with a
   * second factor its code beside it; throws otherwise.
   */
  async require(request: FastifyRequest): Promise<void> {
    const principal = principalSlot.get(request);
    if (principal === undefined) throw new NotAuthenticated();
    const password = textIn(request.body, 'password', MAX_PASSWORD);
    const code = textIn(request.body, 'code', MAX_CODE);
    if (password !== null) return this.requirePassword(principal, { password, field: 'password' }, { code }, request.ip);
    const { reauthenticateMinutes: minutes } = this.config;
    const age = principal.signedInAt === null ? Infinity : Date.now() - principal.signedInAt;
    if (age > minutes * 60_000 || minutes === 0) throw new RecentSignInNeeded(minutes, this.config.signInProvider?.name);
  }

  /** A wrong password or factor counts as a failed login. A recent sign-in showed the factor already. */
  async requirePassword(principal: Principal, { password, field }: GivenPassword, given: GivenFactor, address: string): Promise<void> {
    const { userId } = principal;
    await this.forced.refuseAccount(userId);
    const attempt = await this.throttle.attempt({ userId, name: `account ${String(userId)}` }, address);
    await attempt.refuseIfExhausted();
    await this.commands.execute(new SettlePassword(userId, { gate: this.contexts.gate }));
    if ((await this.passwords.verify(userId, password)) === null) {
      await attempt.recordFailure();
      throw new PasswordWrong(field);
    }
    // As at a login: concurrent guesses may have used up the attempts.
    await attempt.refuseIfExhausted();
    if ((await this.factors.kindsOf(userId)).length === 0) return;
    if (!isGiven(given.code) && !isGiven(given.passkey)) {
      if (this.isRecent(principal)) return;
      throw new FactorConfirmationNeeded();
    }
    if ((await this.factors.prove(userId, given, 'confirm')) !== null) return attempt.refuseIfExhausted();
    await attempt.recordFailure();
    throw new SecondFactorWrong();
  }

  /** Step-up: the session counts as signed in just now. A passkey that verified its user needs no password. */
  async confirm(principal: Principal, password: string | null, given: GivenFactor, address: string): Promise<void> {
    const { userId, tokenId, kind } = principal;
    if (kind !== 'user') throw new Forbidden('A personal token cannot be confirmed: sign in (POST /authenticate).');
    await this.forced.refuseAccount(userId);
    // A recent sign-in does not stand in for the factor: it could be drawn out for ever by the password alone.
    const asOld = { ...principal, signedInAt: null };
    if (password !== null) await this.requirePassword(asOld, { password, field: 'password' }, given, address);
    else await this.requirePasskey(userId, given, address);
    await this.sessions.confirm(tokenId);
    this.changes.changed(userId);
  }

  private async requirePasskey(userId: number, { passkey }: GivenFactor, address: string): Promise<void> {
    if (!isGiven(passkey)) throw new InvalidInput('password: is needed, unless a passkey verifies you');
    const attempt = await this.throttle.attempt({ userId, name: `account ${String(userId)}` }, address);
    await attempt.refuseIfExhausted();
    const proven = await this.factors.prove(userId, { passkey }, 'confirm');
    if (proven !== null && !proven.needsPassword) return;
    await attempt.recordFailure();
    throw new SecondFactorWrong();
  }

  private isRecent({ signedInAt }: Principal): boolean {
    return signedInAt !== null && Date.now() - signedInAt <= this.config.reauthenticateMinutes * 60_000;
  }
}

const isGiven = (value: unknown): boolean => value !== null && value !== undefined;

function textIn(body: unknown, name: string, most: number): string | null {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, name)) return null;
  const value = (body as Readonly<Record<string, unknown>>)[name];
  if (value === null) return null;
  if (typeof value === 'string' && value.length > 0 && value.length <= most) return value;
  throw new InvalidInput(`${name}: must be text of 1 to ${String(most)} characters`);
}

/** The third guard: re-authenticates the caller of a route that states `@NeedsRecentSignIn()`. */
@Injectable()
export class RecentSignInGuard implements CanActivate {
  constructor(
    private readonly recentSignIn: RecentSignIn,
    private readonly keyedWrites: KeyedWrites,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    return needsRecentSignIn(context.getHandler()) ? this.require(context) : true;
  }

  private async require(context: ExecutionContext): Promise<true> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const principal = principalSlot.get(request);
    try {
      await this.recentSignIn.require(request);
    } catch (error) {
      // The repeat of a keyed write gets its first answer, also when the sign-in has become too old meanwhile, or its code was used by the first time.
      const mayBeRepeat = error instanceof RecentSignInNeeded || error instanceof SecondFactorWrong;
      if (!mayBeRepeat || principal === undefined) throw error;
      if (!(await this.keyedWrites.wasAccepted(principal, request))) throw error;
      refusalSlot.set(request, error);
    }
    return true;
  }
}
