/**
 * Failure detector: how long a heartbeat value of another process has stayed unchanged, measured by a monotonic clock of our own. Values are compared
 * for equality only, so a wrong or adjusted wall clock neither ends nor prolongs anyone's lease.
 */
export class Heartbeats {
  private readonly seen = new Map<string, { readonly value: string; readonly since: number }>();

  constructor(private readonly monotonicNow: () => number = () => performance.now()) {}

  /** Records an observed value; returns for how many milliseconds it has been observed unchanged. */
  observe(name: string, value: string): number {
    const known = this.seen.get(name);
    const now = this.monotonicNow();
    if (known?.value === value) return now - known.since;
    this.seen.set(name, { value, since: now });
    return 0;
  }

  /** The last observed value if it has been unchanged for at least `milliseconds`, else null. */
  staleValue(name: string, milliseconds: number): string | null {
    const known = this.seen.get(name);
    return known !== undefined && this.monotonicNow() - known.since >= milliseconds ? known.value : null;
  }

  forget(name: string): void {
    this.seen.delete(name);
  }

  forgetAllExcept(names: Iterable<string>): void {
    const kept = new Set(names);
    for (const name of this.seen.keys()) if (!kept.has(name)) this.seen.delete(name);
  }
}
