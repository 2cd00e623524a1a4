import ipaddr from 'ipaddr.js';
import { type Clock, steadyClock } from '../../kernel/clock.ts';

interface Window {
  count: number;
  readonly endsAt: number;
}

const WINDOW_MS = 60_000;
const CAPACITY = 100_000;

/** Requests a minute by key (0: as many as may be), in this process; a window begins with its first request (docs/spec/decisions.md#G12). */
export class RateLimiter {
  private readonly windows = new Map<string, Window>();

  constructor(
    private readonly limit: number,
    private readonly clock: Clock = steadyClock,
  ) {}

  /** Counts one. Answers 0, or the seconds to wait when it was one too many. */
  take(key: string): number {
    if (this.limit === 0) return 0;
    const now = this.clock.now();
    const known = this.windows.get(key);
    if (known === undefined || known.endsAt <= now) {
      this.begin(key, now);
      return 0;
    }
    known.count++;
    return known.count > this.limit ? Math.max(1, Math.ceil((known.endsAt - now) / 1000)) : 0;
  }

  /** Windows stand in the order in which they end. */
  private begin(key: string, now: number): void {
    this.windows.delete(key);
    for (const [other, { endsAt }] of this.windows) {
      if (endsAt > now && this.windows.size < CAPACITY) break;
      this.windows.delete(other);
    }
    this.windows.set(key, { count: 1, endsAt: now + WINDOW_MS });
  }
}

/** Where an address comes from, as far as tries are counted: whoever has an IPv6 address has 2^64 of them, in whatever way they are written. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const read = ipaddr.process(address);
  return read.kind() === 'ipv4' ? read.toString() : ipaddr.fromByteArray([...read.toByteArray().slice(0, 8), ...NO_HOST]).toString();
}

const NO_HOST = [0, 0, 0, 0, 0, 0, 0, 0];
