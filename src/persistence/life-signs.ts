/**
 * How long others have shown no new sign of life, by a clock of our own that never steps. What their signs say does not matter, as long as each differs
 * from the one before: so nobody's wall clock decides who is alive, and setting one takes nobody's work away, nor keeps anybody's for an hour.
 */
export class LifeSigns {
  private readonly seen = new Map<string, { readonly sign: string; readonly since: number }>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** What a look has just shown. Answers for how many milliseconds it has been so, as far as we have looked. */
  saw(name: string, sign: string): number {
    const known = this.seen.get(name);
    const now = this.now();
    if (known?.sign === sign) return now - known.since;
    this.seen.set(name, { sign, since: now });
    return 0;
  }

  /** The last sign, when it is that old. */
  staleAfter(name: string, milliseconds: number): string | null {
    const known = this.seen.get(name);
    return known !== undefined && this.now() - known.since >= milliseconds ? known.sign : null;
  }

  forget(name: string): void {
    this.seen.delete(name);
  }

  /** Forgets all others. */
  keep(names: Iterable<string>): void {
    const kept = new Set(names);
    for (const name of this.seen.keys()) if (!kept.has(name)) this.seen.delete(name);
  }
}
