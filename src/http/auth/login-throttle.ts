import { createHmac } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { SECRETS, type Secrets } from '../../security/keyring/secrets.ts';
import { TryStore } from '../../security/tokens/try-store.ts';
import { RateLimited } from '../errors/refusals.ts';
import { networkOf } from './rate-limiter.ts';

/** Failed tries in 15 minutes: for one account from one address (docs/spec/decisions.md#G12), and for one address whatever the account. */
const OF_ACCOUNT_AND_ADDRESS = 10;
const OF_ADDRESS = 300;

/** One try at a login: refused when there were too many, counted when it fails. */
export interface Try {
  /** Throws `RateLimited`. */
  check(): Promise<void>;
  failed(): Promise<void>;
}

/** Counts failed logins in a table that all instances share; neither addresses nor e-mails stand in it. */
@Injectable()
export class LoginThrottle {
  constructor(
    @Inject(TryStore) private readonly tries: TryStore,
    @Inject(SECRETS) private readonly secrets: Secrets,
  ) {}

  async try(email: string, address: string): Promise<Try> {
    const secret = await this.secrets.secret('look-up');
    const key = (...parts: readonly string[]): string => createHmac('sha256', secret).update(JSON.stringify(parts)).digest('hex');
    const network = networkOf(address);
    const limits = new Map([
      [key('login', email.trim().normalize('NFC').toLowerCase(), network), OF_ACCOUNT_AND_ADDRESS],
      [key('login', network), OF_ADDRESS],
    ]);
    return {
      check: async () => {
        const wait = await this.tries.wait(limits);
        if (wait > 0) throw new RateLimited(wait);
      },
      failed: () => this.tries.failed([...limits.keys()]),
    };
  }
}
