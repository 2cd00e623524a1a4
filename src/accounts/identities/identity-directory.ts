import { Injectable } from '@nestjs/common';
import { createHmac } from 'node:crypto';
import { Claims } from '../../platform/postgres/claims.ts';
import { Secrets } from '../../platform/security/keyring/secrets.ts';

/** Kind of claim: a person of a sign-in provider, by a keyed hash of issuer and subject, held by the stream of the account. */
export const IDENTITY_CLAIM = 'identity';

const HOLDER = /^account-(\d+)$/;

/** Finds accounts by issuer and subject, which are not stored. */
@Injectable()
export class IdentityDirectory {
  constructor(
    private readonly claims: Claims,
    private readonly secrets: Secrets,
  ) {}

  async hashOf(issuer: string, subject: string): Promise<string> {
    const secret = await this.secrets.secret('look-up');
    return createHmac('sha256', secret)
      .update(JSON.stringify(['identity', issuer, subject]))
      .digest('hex');
  }

  async userIdOf(issuer: string, subject: string): Promise<number | null> {
    const holder = await this.claims.holderOf(IDENTITY_CLAIM, await this.hashOf(issuer, subject));
    const number = holder === null ? undefined : HOLDER.exec(holder)?.[1];
    return number === undefined ? null : Number(number);
  }
}
