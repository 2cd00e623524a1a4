import { createRequire } from 'node:module';
import type { Cookie, CookieJar } from 'tough-cookie';
import type { Challenge } from './challenge.ts';

const LONGEST_COOKIE = 4096;
const MOST_COOKIES = 60;

/** Loaded with the first cookie, in the middle of an answer that does not wait: no start waits for it either. */
const load = createRequire(import.meta.url);
const newJar = (): CookieJar => {
  const { CookieJar: Jar } = load('tough-cookie') as typeof import('tough-cookie');
  return new Jar();
};

/** What belongs to one run: cookies and how an origin wants us to sign in. Forgotten with it. */
export class ProbeSession {
  private jar: CookieJar | undefined;
  /** Those that it holds: one that is set again is no further one. */
  private readonly held = new Set<string>();
  /** By origin; the counter is part of Digest. */
  readonly challenges = new Map<string, { readonly challenge: Challenge; uses: number }>();

  cookies(url: URL): string | undefined {
    if (this.jar === undefined) return undefined;
    const text = this.jar.getCookieStringSync(url.href);
    return text === '' ? undefined : text;
  }

  keep(url: URL, setCookies: readonly string[]): void {
    for (const text of setCookies) {
      if (text.length > LONGEST_COOKIE) continue;
      this.jar ??= newJar();
      const cookie = this.jar.setCookieSync(text, url.href, { ignoreError: true });
      if (cookie !== undefined) this.count(this.jar, url, cookie);
    }
  }

  private count(jar: CookieJar, url: URL, cookie: Cookie): void {
    const { key, domain, path } = cookie;
    const name = [domain, path, key].join(' ');
    if (cookie.TTL() <= 0) this.held.delete(name);
    else if (this.held.has(name) || this.held.size < MOST_COOKIES) this.held.add(name);
    else {
      const spent = cookie.clone() ?? cookie;
      spent.setExpires(new Date(0));
      jar.setCookieSync(spent, url.href, { ignoreError: true });
    }
  }
}
