import { Inject, Injectable, Logger } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { RecogniseIdentity } from '../../identities/identity.commands.ts';
import { ConfirmSession, type SignInOrigin } from '../../sessions/session.commands.ts';
import { CONFIG, type Config } from '../../../platform/config/config.ts';
import { DomainError } from '../../../kernel/errors.ts';
import {
  type CodeRecipient,
  randomToken,
  SealedSignIns,
  SIGN_IN_SECONDS,
  type StartedSignIn,
  tokenHash,
} from '../../identities/sealed-sign-in.ts';
import { type SignInCode, SignInCodes } from '../../identities/sign-in-codes.ts';
import { providerFailureOf, ProviderSignInRefused, SignInProvider, SignInProviderUnavailable } from '../../identities/sign-in-provider.ts';
import { TryStore } from '../../tokens/try-store.ts';
import { RequestContexts } from '../../../platform/http/context/request-context.ts';
import type { Principal } from '../../../platform/http/context/principal.ts';
import { Forbidden } from '../../../platform/http/errors/refusals.ts';
import { type SignedIn, SignIn } from '../sign-in.ts';
import { cookieValues, setCookie } from '../session/console-sessions.ts';

/** A cookie per sign-in, so that several tabs do not disturb each other; its name follows from the token that the request shows as well. */
class SignInCookies {
  private readonly isSecure: boolean;

  constructor(publicUrl: string) {
    this.isSecure = publicUrl.startsWith('https:');
  }

  set(token: string, value: string): string {
    return this.line(token, value, SIGN_IN_SECONDS);
  }

  remove(token: string): string {
    return this.line(token, '', 0);
  }

  read(header: string | undefined, token: string): string | null {
    return cookieValues(header, nameOf(token), this.isSecure)[0] ?? null;
  }

  /** `Lax`, because the provider leads back by a navigation from another site. */
  private line(token: string, value: string, seconds: number): string {
    return setCookie(nameOf(token), value, { seconds, sameSite: 'Lax', isSecure: this.isSecure });
  }
}

const nameOf = (token: string): string => tokenHash(token).slice(0, 16);

export class NoSignInProvider extends DomainError {
  readonly code = 'NO_SIGN_IN_PROVIDER';

  constructor() {
    super('This installation has no sign-in provider; sign in with a password (POST /api/authenticate).');
  }
}

export class SignInCodeInvalid extends DomainError {
  readonly code = 'SIGN_IN_CODE_INVALID';

  constructor() {
    super('code: is not valid, was used already, has expired, or belongs to a sign-in that was begun elsewhere. Sign in again.');
  }
}

export interface Finished {
  readonly recipient: CodeRecipient;
  readonly code: string;
  readonly cookies: readonly string[];
}

const ELSEWHERE = 'This sign-in was not begun in this browser, or was begun more than 10 minutes ago. Start again.';
const TWICE = 'This sign-in was finished already. Start again.';

/** Sign-in through the OpenID Connect provider (docs/spec/decisions.md#A18). */
@Injectable()
export class ProviderSignIn {
  private readonly logger = new Logger('sign-in');

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(SignInProvider) private readonly provider: SignInProvider | null,
    private readonly commands: CommandBus,
    private readonly sealed: SealedSignIns,
    private readonly codes: SignInCodes,
    private readonly tries: TryStore,
    private readonly sessions: SignIn,
    private readonly contexts: RequestContexts,
  ) {}

  /** Answers the address at the provider that the browser opens, and the cookie that it comes back with. */
  async begin(recipient: CodeRecipient, isFresh: boolean): Promise<{ readonly url: string; readonly cookie: string }> {
    const checks = { state: randomToken(), nonce: randomToken(), codeVerifier: randomToken(), isFresh };
    const url = await this.logged(() => this.configured().authorizationUrl(checks));
    const sealed = await this.sealed.seal({ ...checks, recipient, startedAt: Date.now() });
    return { url, cookie: this.cookies().set(checks.state, sealed) };
  }

  /** The way back from the provider. Once per sign-in, whatever comes of it. */
  async finish(query: URLSearchParams, cookieHeader: string | undefined): Promise<Finished> {
    const provider = this.configured();
    const started = await this.startedBy(query, cookieHeader);
    if (!(await this.tries.recordAttempt(tokenHash(`finished ${started.state}`), 1))) throw new ProviderSignInRefused(TWICE);
    const identity = await this.logged(() => provider.identify(query, started, started.startedAt));
    const { opensAccounts, verifiedClaim } = provider.config;
    const rules = { verifiedClaim, openWithPlan: opensAccounts ? this.config.defaultPlan : null };
    const context = this.contexts.of({ kind: 'user', id: '' });
    const userId = await this.commands.execute(new RecogniseIdentity(context, { identity, rules }));
    await context.waitUntilVisible();
    const found = { userId, purpose: started.isFresh ? 'confirm' : 'sign-in', authenticatedAt: identity.authenticatedAt } as const;
    return { recipient: started.recipient, ...(await this.codeFor(found, started)) };
  }

  /** A login token for a code. `secret`: what the recipient of the code knows besides. */
  async exchange(code: string, secret: string | null, exp: string | null, origin: SignInOrigin): Promise<SignedIn> {
    const expiresAt = this.sessions.expiryOf(exp);
    const { userId, authenticatedAt } = await this.use(code, secret, 'sign-in');
    const proof = { passwordHash: null, secondFactor: 'provider', authenticatedAt } as const;
    const signedIn = await this.sessions.open(userId, proof, expiresAt, origin);
    if (signedIn === null) throw new SignInCodeInvalid();
    return signedIn;
  }

  /** Re-authentication: the sign-in of this token counts as made when the person proved to the provider who they are. */
  async confirm(principal: Principal, code: string, secret: string | null): Promise<void> {
    const { userId, authenticatedAt } = await this.use(code, secret, 'confirm');
    if (userId !== principal.userId) throw new Forbidden('Another account was signed in to at the provider.');
    const isConfirmed =
      authenticatedAt !== null && (await this.commands.execute(new ConfirmSession(userId, principal.tokenId, authenticatedAt)));
    if (!isConfirmed) throw new Forbidden('Only a login token can be confirmed; a personal token says nothing about who holds it.');
  }

  /** What a browser knows besides its code. */
  secretOf(code: string, verifier: string | null, cookieHeader: string | undefined): string | null {
    return verifier ?? this.cookies().read(cookieHeader, code);
  }

  private async startedBy(query: URLSearchParams, cookieHeader: string | undefined): Promise<StartedSignIn> {
    const [state = '', ...others] = query.getAll('state');
    const cookie = others.length > 0 ? null : this.cookies().read(cookieHeader, state);
    const started = cookie === null ? null : await this.sealed.open(cookie);
    if (started?.state !== state) throw new ProviderSignInRefused(ELSEWHERE);
    return started;
  }

  private async codeFor(found: SignInCode, { state, recipient }: StartedSignIn): Promise<Omit<Finished, 'recipient'>> {
    const ended = this.cookies().remove(state);
    if ('challenge' in recipient) return { code: await this.codes.create(found, recipient.challenge), cookies: [ended] };
    const secret = randomToken();
    const code = await this.codes.create(found, tokenHash(secret));
    return { code, cookies: [ended, this.cookies().set(code, secret)] };
  }

  private async use(code: string, secret: string | null, purpose: SignInCode['purpose']): Promise<SignInCode> {
    this.configured();
    const used = await this.codes.use(code, tokenHash(secret ?? ''), purpose);
    if (used === null) throw new SignInCodeInvalid();
    return used;
  }

  /** The cause is for the operator, the refusal for the person. */
  private async logged<T>(step: () => Promise<T>): Promise<T> {
    try {
      return await step();
    } catch (error) {
      if (error instanceof SignInProviderUnavailable)
        this.logger.warn({ msg: 'sign-in provider unavailable', reason: providerFailureOf(error) });
      else if (error instanceof ProviderSignInRefused)
        this.logger.log({ msg: 'sign-in through the provider refused', reason: providerFailureOf(error) });
      throw error;
    }
  }

  private configured(): SignInProvider {
    if (this.provider === null) throw new NoSignInProvider();
    return this.provider;
  }

  private cookies(): SignInCookies {
    return new SignInCookies(this.config.publicUrl ?? '');
  }
}
