import { type Clock, steadyClock } from './clock.ts';

/** Lets one call per key and interval through, such as a log line, and counts the others. */
export class Throttle<Key = string> {
  private readonly last = new Map<Key, { readonly at: number; suppressed: number }>();

  constructor(
    private readonly intervalMs: number,
    private readonly clock: Clock = steadyClock,
  ) {}

  /** How many calls this one stands for: itself and those suppressed before it. Null if it is suppressed. */
  pass(key: Key): number | null {
    const now = this.clock.now();
    const last = this.last.get(key);
    if (last !== undefined && now - last.at < this.intervalMs) {
      last.suppressed++;
      return null;
    }
    this.last.set(key, { at: now, suppressed: 0 });
    return (last?.suppressed ?? 0) + 1;
  }
}
