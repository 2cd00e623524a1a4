import { createHmac } from 'node:crypto';
import type { Secrets } from '../keyring/secrets.ts';
import { networkOf } from '../networks.ts';
import type { TryStore } from './try-store.ts';

/** Wider IPv6 networks may hold several subscribers. */
const WIDTHS = [
  { ipv6: 64, times: 1 },
  { ipv6: 56, times: 2 },
  { ipv6: 48, times: 4 },
] as const;

/** Registrations an hour from one network, over all instances; the table holds keyed hashes. */
export class RegistrationLimit {
  constructor(
    private readonly tries: TryStore,
    private readonly secrets: Secrets,
    /** 0: no limit. */
    private readonly perHour: number,
  ) {}

  /** Counts a registration. Answers 0, or the seconds to wait when the limit is exceeded. */
  async count(address: string): Promise<number> {
    if (this.perHour === 0) return 0;
    const secret = await this.secrets.secret('look-up');
    // By network, so that an IPv4 address counts once.
    const limits = new Map(WIDTHS.toReversed().map(({ ipv6, times }) => [networkOf(address, { ipv4: 32, ipv6 }), this.perHour * times]));
    for (const [network, limit] of limits) {
      const key = createHmac('sha256', secret)
        .update(JSON.stringify(['registration', network]))
        .digest('hex');
      if (!(await this.tries.recordAttempt(key, limit))) return Math.max(1, await this.tries.secondsToWait(new Map([[key, limit]])));
    }
    return 0;
  }
}
