import { SIGN_IN_SECONDS, tokenHash } from '../../identities/sealed-sign-in.ts';
import { cookieValues, setCookie } from '../cookies.ts';

/** A cookie per sign-in, so that several tabs do not disturb each other; its name follows from the token that the request shows as well. */
export class SignInCookies {
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
