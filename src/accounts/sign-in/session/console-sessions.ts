import type { FastifyRequest, FastifyReply } from 'fastify';
import { type Config, CONFIG } from '../../../platform/config/config.ts';
import { DomainError } from '../../../kernel/errors.ts';
import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { RevokeToken } from '../../tokens/token.commands.ts';
import type { SignInFactor } from '../../account.settings.ts';
import { CachedReads } from '../../../kernel/cached.ts';
import { isTransientDatabaseError } from '../../../platform/postgres/transient-database-error.ts';
import { accountView } from '../../account.view.ts';
import { ViewsAt } from '../../../platform/read-models/views/views.ts';
import { ConsoleAddresses } from '../../sessions/console-addresses.ts';
import { cookieHash, type CookieSession, isRotationDue, SessionCookies } from '../../tokens/session-cookies.ts';
import { RequestContexts } from '../../../platform/http/context/request-context.ts';
import { NotAuthenticated } from '../../../platform/http/errors/refusals.ts';
import { unixSeconds } from '../../../platform/http/presentation/answers.ts';
import { signInOriginOf } from '../sign-in-origin.ts';
import { SignIn, type SignedIn } from '../sign-in.ts';
import type { TokenClaims } from '../token-signer.ts';

export interface CookieAttributes {
  readonly seconds: number;
  readonly sameSite: 'Strict' | 'Lax';
  readonly isSecure: boolean;
}

/** The prefix keeps other hosts of the domain, and pages without encryption, from setting the cookie. */
export const cookieName = (name: string, isSecure: boolean): string => `${isSecure ? '__Host-' : ''}watchledger-${name}`;

/** The line of a `Set-Cookie` header; scripts cannot read the cookie. */
export function setCookie(name: string, value: string, { seconds, sameSite, isSecure }: CookieAttributes): string {
  const attributes = ['Path=/', `Max-Age=${String(seconds)}`, 'HttpOnly', `SameSite=${sameSite}`, ...(isSecure ? ['Secure'] : [])];
  return [`${cookieName(name, isSecure)}=${value}`, ...attributes].join('; ');
}

/** Every value of a name: a browser sends two when a page of another port, or under a longer path, has set the second. */
export function cookieValues(header: string | undefined, name: string, isSecure: boolean): readonly string[] {
  const start = `${cookieName(name, isSecure)}=`;
  const pairs = (header ?? '').split(';').map((pair) => pair.trim());
  return pairs.filter((pair) => pair.startsWith(start)).map((pair) => pair.slice(start.length));
}

/** The header of every request of the console that may change something. A page of another origin cannot set it without a preflight, which is refused. */
export const CONSOLE_HEADER = 'Watchledger-Console';

/** CSRF: a request with the session cookie may come from a page of another origin. */
export class CrossSiteRequest extends DomainError {
  readonly code = 'CROSS_SITE_REQUEST';
}

type Asked = Pick<FastifyRequest, 'headers' | 'protocol' | 'host'>;

/** Refuses what a page of ours would not have sent (docs/spec/beyond.md#b13-console). */
export function requireOwnPage({ headers, protocol, host }: Asked, { publicUrl }: Pick<Config, 'publicUrl'>): void {
  if (headers[CONSOLE_HEADER.toLowerCase()] !== '1')
    throw new CrossSiteRequest(`${CONSOLE_HEADER}: must be 1 in a request that may change something with a session cookie`);
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin')
    throw new CrossSiteRequest(`Sec-Fetch-Site: must be same-origin, found "${site.slice(0, 40)}"`);
  const { origin } = headers;
  if (origin === undefined) return;
  const own = [`${protocol}://${host}`, ...(publicUrl === undefined ? [] : [new URL(publicUrl).origin])];
  if (!own.includes(origin))
    throw new CrossSiteRequest('Origin: is not that of this service; behind a proxy set PUBLIC_URL to the address that browsers use');
}

/** How long a session of the console lasts. */
export const SESSION_EXPIRY = '+7 days';

const NAME = 'session';
/** The end of a session on any instance takes effect here within a second, as that of a token does. */
const CACHE_MS = 900;
const MAX_CACHED = 10_000;

export type BrowserSession = CookieSession & { readonly value: string };

/** Equal to the claims that a bearer token of the same session would have. */
export function claimsOfSession({ userId, tokenId, issuedAt, expiresAt }: CookieSession): TokenClaims {
  const iat = unixSeconds(issuedAt.getTime());
  return { sub: String(userId), tid: tokenId, iat, nbf: iat, exp: unixSeconds(expiresAt.getTime()) };
}

/** Sessions of the console: a login token that the browser shows as a cookie (docs/spec/beyond.md#b13-console). */
@Injectable()
export class ConsoleSessions {
  private readonly cache = new CachedReads<CookieSession | null>(MAX_CACHED, CACHE_MS);

  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'publicUrl'>,
    private readonly cookies: SessionCookies,
    private readonly addresses: ConsoleAddresses,
    private readonly commands: CommandBus,
    private readonly views: ViewsAt,
    private readonly contexts: RequestContexts,
    private readonly signIn: SignIn,
  ) {}

  /** Answers null when the request has no session cookie, or two, of which a page of another port may have planted one. */
  valueIn(request: FastifyRequest): string | null {
    const [value = '', ...others] = cookieValues(request.headers.cookie, NAME, this.isSecure(request));
    return others.length === 0 && value !== '' ? value : null;
  }

  /** Answers null when the session is unknown, or has ended. */
  async find(value: string): Promise<BrowserSession | null> {
    const hash = cookieHash(value);
    // Made-up values are not kept, so that they displace none.
    if (this.cache.known(hash) === undefined && !(await this.cookies.isGenuine(value))) return null;
    const session = await this.cache.get(hash, () => this.cookies.find(hash));
    return session === null ? null : { ...session, value };
  }

  /** Hands the session out as a new cookie; a cookie from before the sign-in is never used again, and its session ends. */
  async begin(request: FastifyRequest, reply: FastifyReply, { userId, tokenId, expiresAt }: SignedIn, byLink = false): Promise<void> {
    const account = await this.views.now().get(accountView, String(userId));
    const role = account?.systemRole ?? null;
    const value = await this.cookies.begin(tokenId, role, byLink);
    if (value === null) throw new NotAuthenticated();
    await this.addresses.add(userId, role, request);
    await this.endFormer(request);
    this.send(request, reply, value, expiresAt);
  }

  /** A change of password ends every session; the one in which it was made continues as a new one. */
  async reopen(
    request: FastifyRequest,
    reply: FastifyReply,
    { userId, secondFactor, byLink, expiresAt }: CookieSession,
  ): Promise<SignedIn> {
    // As the command that opened the session stored it.
    const proof = { passwordHash: null, secondFactor: (secondFactor ?? undefined) as SignInFactor | undefined };
    const end = byLink ? this.signIn.expiryOf(SESSION_EXPIRY) : expiresAt;
    const signedIn = await this.signIn.open(userId, proof, end, signInOriginOf(request));
    if (signedIn === null) throw new NotAuthenticated();
    await this.begin(request, reply, signedIn);
    return signedIn;
  }

  /** Hands out the next value, when its time has come or its answer may have been lost. */
  async renew(request: FastifyRequest, reply: FastifyReply, session: BrowserSession, role: string | null): Promise<void> {
    const isDue = isRotationDue(session, role);
    if (session.isCurrent && !isDue) return;
    try {
      const { tokenId, value, expiresAt } = session;
      const next = isDue ? await this.cookies.rotate(tokenId, value, role) : await this.cookies.successorOf(value);
      this.cache.forget(cookieHash(value));
      this.send(request, reply, next, expiresAt);
    } catch (error) {
      // A database that only reads serves reads.
      if (!isTransientDatabaseError(error)) throw error;
    }
  }

  /** The browser forgets the cookie. */
  clear(request: FastifyRequest, reply: FastifyReply): void {
    void reply.header('set-cookie', this.line(request, '', 0));
  }

  private async endFormer(request: FastifyRequest): Promise<void> {
    const value = this.valueIn(request);
    const former = value === null ? null : await this.find(value);
    if (former === null) return;
    const { userId, tokenId } = former;
    const context = this.contexts.of({ kind: 'user', id: String(userId), tokenId });
    await this.commands.execute(new RevokeToken(context, { userId, tokenId })).catch((error: unknown) => {
      // Another sign-in of this browser has ended it.
      if (!(error instanceof DomainError && error.code === 'TOKEN_NOT_FOUND')) throw error;
    });
  }

  private send(request: FastifyRequest, reply: FastifyReply, value: string, expiresAt: Date): void {
    const seconds = Math.max(1, Math.floor((expiresAt.getTime() - Date.now()) / 1000));
    void reply.header('set-cookie', this.line(request, value, seconds));
  }

  private line(request: FastifyRequest, value: string, seconds: number): string {
    return setCookie(NAME, value, { seconds, sameSite: 'Strict', isSecure: this.isSecure(request) });
  }

  /** The scheme is that of the installation's address, else that of the connection or of what a trusted proxy states. */
  private isSecure({ protocol }: FastifyRequest): boolean {
    return (this.config.publicUrl ?? `${protocol}:`).startsWith('https:');
  }
}
