import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { EmailDirectory } from '../email-directory.ts';
import { networkOf } from '../../platform/security/networks.ts';
import { Passwords } from '../passwords/passwords.ts';
import { LinkStore } from '../tokens/link-store.ts';
import { LinkInvalid, SettlePassword } from '../passwords/password.commands.ts';
import { SignInAccount, type SignInOrigin, type SignInProof } from '../sessions/session.commands.ts';
import type { IssuedToken } from '../tokens/token.commands.ts';
import type { SignInFactor } from '../account.settings.ts';
import { CONFIG, type Config } from '../../platform/config/config.ts';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import { InvalidInput } from '../../kernel/errors.ts';
import { RequestContexts } from '../../platform/http/context/request-context.ts';
import { NotAuthenticated, SecondFactorNeeded } from '../../platform/http/errors/refusals.ts';
import type { AuthenticateDto, PasskeySignInDto } from './authenticate.api.ts';
import { readExpiry } from './expiry.ts';
import { type LoginAttempt, LoginThrottle } from './login-throttle.ts';
import { ForcedDomains } from './provider/forced-domains.ts';
import { type GivenFactor, SecondFactorCheck } from './second-factor-check.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { wantsJson } from '../../platform/http/presentation/accept-header.ts';
import { inUtc } from '../../platform/http/presentation/answers.ts';
import type { TokenSigner } from './token-signer.ts';

/** A session that was opened: shown as a bearer token, or as the cookie of the console. */
export interface SignedIn extends IssuedToken {
  readonly userId: number;
}

const DEFAULT_EXPIRY = '+1 hour';
/** While it lasts, its person may choose a password without the current one. */
const LINK_EXPIRY = '+1 day';

export interface LinkSignIn extends GivenFactor {
  readonly link: string;
}

/** docs/spec/decisions.md#A1. */
@Injectable()
export class SignIn {
  private readonly clock: Clock = systemClock;

  constructor(
    private readonly commands: CommandBus,
    private readonly directory: EmailDirectory,
    private readonly passwords: Passwords,
    private readonly throttle: LoginThrottle,
    private readonly factors: SecondFactorCheck,
    private readonly contexts: RequestContexts,
    @Inject(CONFIG) private readonly config: Pick<Config, 'maxSessions'>,
    private readonly forced: ForcedDomains,
    private readonly links: LinkStore,
  ) {}

  /**
   * An unknown e-mail and a wrong password get the same answer after the same work, against account enumeration; with a factor in the request, a wrong
   * factor gets it, too. That a second factor is asked for shows that the password was right: no protocol of two requests can hide it.
   */
  async signIn({ email, password, exp, code, passkey }: AuthenticateDto, origin: SignInOrigin): Promise<SignedIn> {
    const now = this.clock.now();
    const expiresAt = this.expiryOf(exp, now);
    const hasFactor = isGiven(code) || isGiven(passkey);
    this.forced.refuseAddress(email);
    const userId = await this.directory.userIdOf(email);
    const attempt = await this.throttle.attempt({ userId, name: email }, origin.address);
    await attempt.refuseIfExhausted();
    // Completes a password change that a crash interrupted; runs for unknown e-mails, too, so that both take equally long.
    await this.commands.execute(new SettlePassword(userId ?? 0, { gate: this.contexts.gate }));
    const passwordHash = await this.passwords.verify(userId, password);
    if (userId === null || passwordHash === null) {
      await attempt.recordFailure();
      throw refused(hasFactor);
    }
    // Concurrent guesses may have used up the attempts: then a right guess among them must not succeed.
    await attempt.refuseIfExhausted();
    const secondFactor = await this.secondFactorOf(userId, { code, passkey }, attempt);
    const signedIn = await this.open(userId, { passwordHash, secondFactor }, expiresAt, origin, now);
    if (signedIn === null) throw refused(hasFactor);
    return signedIn;
  }

  /** A passkey with which the authenticator verified its user: no password, no e-mail address. */
  async signInByPasskey({ passkey, exp }: PasskeySignInDto, origin: SignInOrigin): Promise<SignedIn> {
    const now = this.clock.now();
    const expiresAt = this.expiryOf(exp, now);
    // Failures count by network alone: those of strangers must not pause the passkeys of others.
    const attempt = await this.throttle.attempt({ userId: null, name: `a passkey from ${networkOf(origin.address)}` }, origin.address);
    await attempt.refuseIfExhausted();
    const userId = await this.factors.identify(passkey);
    if (userId === null) {
      await attempt.recordFailure();
      throw new NotAuthenticated('The passkey was refused.');
    }
    await this.forced.refuseAccount(userId);
    const signedIn = await this.open(userId, { passwordHash: null, secondFactor: 'passkey' }, expiresAt, origin, now);
    if (signedIn === null) throw new NotAuthenticated('The passkey was refused.');
    return signedIn;
  }

  /** By a one-time link. It is used up after the second factor, so that a wrong one does not cost the link; guesses of others do not pause it. */
  async signInByLink({ link, code, passkey }: LinkSignIn, origin: SignInOrigin): Promise<SignedIn> {
    const now = this.clock.now();
    const found = await this.links.find(link);
    if (found?.purpose !== 'sign-in') throw new LinkInvalid('link');
    const { userId } = found;
    await this.forced.refuseAccount(userId, { exceptUnconfirmed: true });
    const attempt = await this.throttle.attempt({ userId, name: `account ${String(userId)}` }, origin.address);
    const secondFactor = await this.secondFactorOf(userId, { code, passkey }, attempt);
    if (!(await this.links.useToSignIn(link))) throw new LinkInvalid('link');
    const signedIn = await this.open(
      userId,
      { passwordHash: null, secondFactor, byLink: true },
      this.expiryOf(LINK_EXPIRY, now),
      origin,
      now,
    );
    if (signedIn === null) throw new LinkInvalid('link');
    return signedIn;
  }

  /**
   * Opens a session for an authenticated person: by a password, a passkey, or an identity provider (`secondFactor: 'provider'`, whose sign-in is
   * not asked for a factor of ours). Null: the password has changed, or the account has got a second factor meanwhile.
   */
  async open(userId: number, proof: SignInProof, expiresAt: Date, origin: SignInOrigin, now = this.clock.now()): Promise<SignedIn | null> {
    // Issued at the instant of the request, so that a token for an hour lasts an hour however long hashing took.
    const context = this.contexts.of({ kind: 'user', id: String(userId) }, now);
    const command = new SignInAccount(context, { userId, expiresAt, proof, origin, most: this.config.maxSessions });
    const issued = await this.commands.execute(command);
    if (issued === null) return null;
    // Another process may have created the account a moment ago: the token works once its owner is readable.
    await context.waitUntilVisible();
    return { userId, ...issued };
  }

  expiryOf(exp: string | null | undefined, now = this.clock.now()): Date {
    const expiry = readExpiry(exp ?? DEFAULT_EXPIRY, now);
    if ('problem' in expiry) throw new InvalidInput(`exp: ${expiry.problem}`);
    return new Date(expiry.at);
  }

  /** Undefined: the account has none. */
  private async secondFactorOf(userId: number, given: GivenFactor, attempt: LoginAttempt): Promise<SignInFactor | undefined> {
    const kinds = await this.factors.kindsOf(userId);
    if (kinds.length === 0) return undefined;
    if (!isGiven(given.code) && !isGiven(given.passkey))
      throw new SecondFactorNeeded(await this.factors.choiceOf(userId, kinds, 'second factor'));
    const proven = await this.factors.prove(userId, given, 'second factor');
    if (proven === null) {
      await attempt.recordFailure();
      throw refused(true);
    }
    await attempt.refuseIfExhausted();
    return proven.kind;
  }
}

const isGiven = (value: unknown): boolean => value !== null && value !== undefined;

const refused = (withFactor: boolean): NotAuthenticated =>
  new NotAuthenticated(withFactor ? 'The e-mail, the password or the second factor is wrong.' : 'The e-mail or the password is wrong.');

/** The bare token, or an object (docs/spec/decisions.md#A1). */
export function tokenAnswer(
  signer: Pick<TokenSigner, 'sign'>,
  request: FastifyRequest,
  reply: FastifyReply,
  { userId, tokenId, ...times }: SignedIn,
): unknown {
  const token = signer.sign(userId, tokenId, times);
  void reply.header('cache-control', 'no-store');
  if (wantsJson(request.headers.accept)) return { token, expiresAt: inUtc(times.expiresAt.getTime()) };
  void reply.type('text/plain; charset=utf-8');
  return token;
}
