import { createRequire } from 'node:module';
import type { Cookie, CookieJar } from 'tough-cookie';
import type { AuthChallenge } from './http-authentication.ts';

const MAX_COOKIE_LENGTH = 4096;
const MAX_COOKIES = 60;

/** Loaded with the first cookie, synchronously, so that it does not slow the start of the process. */
const load = createRequire(import.meta.url);
const newJar = (): CookieJar => {
  const { CookieJar: Jar } = load('tough-cookie') as typeof import('tough-cookie');
  return new Jar();
};

/** The cookies and authentication challenges of one run. */
export class ProbeSession {
  private jar: CookieJar | undefined;
  /** Identities of the cookies in the jar: setting one again does not count twice. */
  private readonly stored = new Set<string>();
  /** By origin; `uses` is the nonce count of Digest. */
  readonly challenges = new Map<string, { readonly challenge: AuthChallenge; uses: number }>();

  cookies(url: URL): string | undefined {
    if (this.jar === undefined) return undefined;
    const text = this.jar.getCookieStringSync(url.href);
    return text === '' ? undefined : text;
  }

  storeCookies(url: URL, setCookies: readonly string[]): void {
    for (const text of setCookies) {
      if (text.length > MAX_COOKIE_LENGTH) continue;
      this.jar ??= newJar();
      const cookie = this.jar.setCookieSync(text, url.href, { ignoreError: true });
      if (cookie !== undefined) this.enforceLimit(this.jar, url, cookie);
    }
  }

  private enforceLimit(jar: CookieJar, url: URL, cookie: Cookie): void {
    const { key, domain, path } = cookie;
    const name = [domain, path, key].join(' ');
    if (cookie.TTL() <= 0) this.stored.delete(name);
    else if (this.stored.has(name) || this.stored.size < MAX_COOKIES) this.stored.add(name);
    else {
      const expired = cookie.clone() ?? cookie;
      expired.setExpires(new Date(0));
      jar.setCookieSync(expired, url.href, { ignoreError: true });
    }
  }
}
