import { NO_PHASES, type PhaseName, type Phases } from './outcome.ts';

/** Stopwatch for the phases of a journey: entering a phase ends the one before. */
export class PhaseClock {
  readonly startedAt = performance.now();
  private enteredAt = this.startedAt;
  private hopStartedAt = this.startedAt;
  private current: PhaseName = 'dns';
  private readonly sums: Record<PhaseName, number> = { dns: 0, connect: 0, tls: 0, request: 0, wait: 0, download: 0 };
  private hop: Record<PhaseName, number> = { dns: 0, connect: 0, tls: 0, request: 0, wait: 0, download: 0 };

  enter(phase: PhaseName, now = performance.now()): void {
    const spent = now - this.enteredAt;
    this.sums[this.current] += spent;
    this.hop[this.current] += spent;
    this.enteredAt = now;
    this.current = phase;
  }

  get phase(): PhaseName {
    return this.current;
  }

  /** The phases of the hop that ends here; the next hop begins with `dns`. */
  endHop(): Phases {
    const now = performance.now();
    this.enter('dns', now);
    const phases = { ...this.hop, total: now - this.hopStartedAt };
    this.hop = { ...NO_PHASES };
    this.hopStartedAt = now;
    return phases;
  }

  elapsed(): Phases {
    const now = performance.now();
    this.enter(this.current, now);
    return { ...this.sums, total: now - this.startedAt };
  }
}
