/** A log without new events for this long is quiet and gets signed. */
const QUIET_MS = 300;
/** The signing interval while events keep arriving. */
const BUSY_MS = 45_000;

/** Decides when the next checkpoint is due: soon after the last event of a quiet log, and at least once a minute in a busy one. */
export class SigningSchedule {
  readonly #quietMs: number;
  #unsignedSince: number | null = null;
  #lastEventAt = 0;

  constructor(quietMs = QUIET_MS) {
    this.#quietMs = quietMs;
  }

  /** `now` in milliseconds of a monotonic clock. */
  grew(now: number): void {
    this.#unsignedSince ??= now;
    this.#lastEventAt = now;
  }

  signed(): void {
    this.#unsignedSince = null;
  }

  /** 0: now; Infinity: not before an event is added. */
  dueIn(now: number): number {
    if (this.#unsignedSince === null) return Infinity;
    const due = Math.min(this.#lastEventAt + this.#quietMs, this.#unsignedSince + BUSY_MS);
    return Math.max(0, due - now);
  }
}
