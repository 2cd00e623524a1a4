import { createHmac } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { SECRETS, type Secrets } from '../../security/keyring/secrets.ts';
import { TryStore } from '../../security/tokens/try-store.ts';
import { networkOf } from '../../security/networks.ts';
import { RateLimited } from '../errors/refusals.ts';

/** Failed logins per 15 minutes from one network: for one account, and for all accounts (docs/spec/decisions.md#G12). */
const MAX_PER_ACCOUNT = 10;
const MAX_PER_NETWORK = 300;

export interface LoginAttempt {
  /** Throws `RateLimited` when too many attempts failed. */
  refuseIfExhausted(): Promise<void>;
  recordFailure(): Promise<void>;
}

/** A rate limiter of failed logins, shared by all instances; its table holds keyed hashes, not addresses or e-mails. */
@Injectable()
export class LoginThrottle {
  constructor(
    @Inject(TryStore) private readonly tries: TryStore,
    @Inject(SECRETS) private readonly secrets: Secrets,
  ) {}

  async attempt(email: string, address: string): Promise<LoginAttempt> {
    const secret = await this.secrets.secret('look-up');
    const key = (...parts: readonly string[]): string => createHmac('sha256', secret).update(JSON.stringify(parts)).digest('hex');
    const network = networkOf(address);
    const limits = new Map([
      [key('login', email.trim().normalize('NFC').toLowerCase(), network), MAX_PER_ACCOUNT],
      [key('login', network), MAX_PER_NETWORK],
    ]);
    return {
      refuseIfExhausted: async () => {
        const wait = await this.tries.secondsToWait(limits);
        if (wait > 0) throw new RateLimited(wait);
      },
      recordFailure: () => this.tries.recordFailure([...limits.keys()]),
    };
  }
}
