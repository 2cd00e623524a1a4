import { Injectable } from '@nestjs/common';
import { Claims } from '../platform/postgres/claims.ts';
import { emailHash, Secrets } from '../platform/security/keyring/secrets.ts';

/** Kind of claim: an e-mail address, by its keyed hash, held by the stream of its account. */
export const EMAIL_CLAIM = 'email';

const HOLDER = /^account-(\d+)$/;

/** Finds accounts by address without keeping addresses. */
@Injectable()
export class EmailDirectory {
  constructor(
    private readonly claims: Claims,
    private readonly secrets: Secrets,
  ) {}

  async hashOf(email: string): Promise<string> {
    return emailHash(await this.secrets.secret('look-up'), email);
  }

  async userIdOf(email: string): Promise<number | null> {
    const holder = await this.claims.holderOf(EMAIL_CLAIM, await this.hashOf(email));
    const number = holder === null ? undefined : HOLDER.exec(holder)?.[1];
    return number === undefined ? null : Number(number);
  }
}
