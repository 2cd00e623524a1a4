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
