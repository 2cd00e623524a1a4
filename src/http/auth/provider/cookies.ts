import { SIGN_IN_SECONDS, tokenHash } from '../../../security/sign-in-provider/sealed-sign-in.ts';

/** A cookie per sign-in, so that several tabs do not disturb each other; its name follows from the token that the request shows as well. */
export class SignInCookies {
  private readonly isSecure: boolean;

  constructor(publicUrl: string) {
    this.isSecure = publicUrl.startsWith('https:');
  }

  /** `Lax`, because the provider leads back by a navigation from another site. */
  set(token: string, value: string): string {
    return this.line(token, value, SIGN_IN_SECONDS);
  }

  remove(token: string): string {
    return this.line(token, '', 0);
  }

  read(header: string | undefined, token: string): string | null {
    const wanted = this.nameOf(token);
    const pairs = (header ?? '').split(';').map((pair) => pair.trim());
    return pairs.find((pair) => pair.startsWith(`${wanted}=`))?.slice(wanted.length + 1) ?? null;
  }

  /** The prefix keeps other hosts of the domain from setting the cookie, and with it from signing people in to an account of theirs. */
  private nameOf(token: string): string {
    return `${this.isSecure ? '__Host-' : ''}watchledger-${tokenHash(token).slice(0, 16)}`;
  }

  private line(token: string, value: string, seconds: number): string {
    const attributes = ['Path=/', `Max-Age=${String(seconds)}`, 'HttpOnly', 'SameSite=Lax', ...(this.isSecure ? ['Secure'] : [])];
    return [`${this.nameOf(token)}=${value}`, ...attributes].join('; ');
  }
}
