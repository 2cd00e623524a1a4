import { createRequire } from 'node:module';
import type { CookieJar } from 'tough-cookie';
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
  private stored = 0;
  /** By origin; the counter is part of Digest. */
  readonly challenges = new Map<string, { readonly challenge: Challenge; uses: number }>();

  cookies(url: URL): string | undefined {
    if (this.jar === undefined) return undefined;
    const text = this.jar.getCookieStringSync(url.href);
    return text === '' ? undefined : text;
  }

  keep(url: URL, setCookies: readonly string[]): void {
    for (const text of setCookies) {
      if (text.length > LONGEST_COOKIE || this.stored >= MOST_COOKIES) continue;
      this.jar ??= newJar();
      if (this.jar.setCookieSync(text, url.href, { ignoreError: true }) !== undefined) this.stored++;
    }
  }
}
