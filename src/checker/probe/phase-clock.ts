import { NO_PHASES, type PhaseName, type Phases } from './outcome.ts';

/** Times the phases of a journey: each mark ends a phase and begins the next. */
export class PhaseClock {
  readonly startedAt = performance.now();
  private mark = this.startedAt;
  private hopStart = this.startedAt;
  private current: PhaseName = 'dns';
  private readonly sums: Record<PhaseName, number> = { dns: 0, connect: 0, tls: 0, request: 0, wait: 0, download: 0 };
  private hop: Record<PhaseName, number> = { dns: 0, connect: 0, tls: 0, request: 0, wait: 0, download: 0 };

  /** Ends the phase that runs, and begins this one. */
  enter(phase: PhaseName, now = performance.now()): void {
    const spent = now - this.mark;
    this.sums[this.current] += spent;
    this.hop[this.current] += spent;
    this.mark = now;
    this.current = phase;
  }

  get during(): PhaseName {
    return this.current;
  }

  /** The hop that ends here; the next begins with its name. */
  endHop(): Phases {
    const now = performance.now();
    this.enter('dns', now);
    const phases = { ...this.hop, total: now - this.hopStart };
    this.hop = { ...NO_PHASES };
    this.hopStart = now;
    return phases;
  }

  soFar(): Phases {
    const now = performance.now();
    this.enter(this.current, now);
    return { ...this.sums, total: now - this.startedAt };
  }
}
