import { createHmac } from 'node:crypto';
import type { Secrets } from '../../platform/security/keyring/secrets.ts';
import { networkOf } from '../../platform/security/networks.ts';
import type { TryStore } from './try-store.ts';

/** Wider IPv6 networks may hold several subscribers. */
const WIDTHS = [
  { ipv6: 64, times: 1 },
  { ipv6: 56, times: 2 },
  { ipv6: 48, times: 4 },
] as const;

/** Attempts an hour from one network, such as registrations, over all instances; the table holds keyed hashes. */
export class NetworkLimit {
  constructor(
    private readonly tries: TryStore,
    private readonly secrets: Secrets,
    /** What is counted: each has limits of its own. */
    private readonly purpose: 'registration' | 'subscriber',
    /** 0: no limit. */
    private readonly perHour: number,
  ) {}

  /** Counts an attempt. Answers 0, or the seconds to wait when the limit is exceeded. */
  async count(address: string): Promise<number> {
    if (this.perHour === 0) return 0;
    const secret = await this.secrets.secret('look-up');
    // By network, so that an IPv4 address counts once.
    const limits = new Map(WIDTHS.toReversed().map(({ ipv6, times }) => [networkOf(address, { ipv4: 32, ipv6 }), this.perHour * times]));
    for (const [network, limit] of limits) {
      const key = createHmac('sha256', secret)
        .update(JSON.stringify([this.purpose, network]))
        .digest('hex');
      if (!(await this.tries.recordAttempt(key, limit))) return Math.max(1, await this.tries.secondsToWait(new Map([[key, limit]])));
    }
    return 0;
  }
}

/** Injection token: the limit of registrations. */
export const REGISTRATION_LIMIT = Symbol('RegistrationLimit');
