import { createHmac, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { randomId } from '../kernel/ids.ts';
import type { StatusPageRow } from './status-page.view.ts';
import { Keyring } from '../platform/security/keyring/keyring.ts';
import { Secrets } from '../platform/security/keyring/secrets.ts';
import { hashPassword, isPassword } from '../accounts/passwords/passwords.ts';
import { LoginThrottle } from '../accounts/sign-in/login-throttle.ts';

const VALID_SECONDS = 12 * 3_600;
const COOKIE = 'watchledger-status';

/** Opens pages behind a password: with a cookie of the page alone, that a new password ends. */
@Injectable()
export class PagePasswords {
  private dummy: Promise<string> | undefined;

  constructor(
    private readonly keyring: Keyring,
    private readonly secrets: Secrets,
    private readonly throttle: LoginThrottle,
  ) {}

  async isOpen(page: StatusPageRow, cookies: string | undefined): Promise<boolean> {
    const given = new RegExp(`(?:^|;\\s*)${COOKIE}=(\\d{10})\\.([0-9a-f]{64})(?:;|$)`).exec(cookies ?? '');
    const [, expires = '0', signature = ''] = given ?? [];
    if (Number(expires) * 1_000 < Date.now()) return false;
    const expected = Buffer.from(await this.signatureOf(page, expires), 'hex');
    const shown = Buffer.from(signature, 'hex');
    return shown.length === expected.length && timingSafeEqual(shown, expected);
  }

  /**
   * The cookie for the page; null: the password opens nothing. For a slug without a page, or with a public one, it takes as long and counts as a guess
   * alike. Throws `RateLimited`.
   */
  async open(
    slug: string,
    page: StatusPageRow | null,
    password: string,
    { address, isSecure, path }: { readonly address: string; readonly isSecure: boolean; readonly path: string },
  ): Promise<string | null> {
    const attempt = await this.throttle.attempt({ userId: null, name: `status page ${slug}`, isShared: true }, address);
    await attempt.refuseIfExhausted();
    const sealed = page?.settings.access === 'password' ? page.password : null;
    const hash = sealed === null ? null : await this.keyring.open(sealed);
    const isRight = await isPassword(hash ?? (await this.hashOfNothing()), password);
    if (!isRight || hash === null || page === null) {
      await attempt.recordFailure();
      return null;
    }
    const expires = String(Math.floor(Date.now() / 1_000) + VALID_SECONDS);
    const value = `${expires}.${await this.signatureOf(page, expires)}`;
    const attributes = `Path=${path}; Max-Age=${String(VALID_SECONDS)}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
    return `${COOKIE}=${value}; ${attributes}`;
  }

  private async signatureOf({ pageId, password }: StatusPageRow, expires: string): Promise<string> {
    const secret = await this.secrets.secret('object-ids');
    return createHmac('sha256', secret)
      .update(JSON.stringify(['status page', pageId, expires, password?.sealed ?? null]))
      .digest('hex');
  }

  private hashOfNothing(): Promise<string> {
    this.dummy ??= hashPassword(randomId());
    return this.dummy;
  }
}
