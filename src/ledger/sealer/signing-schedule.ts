/** A log counts as quiet when nothing was added for this long; then what it holds is signed. */
const QUIET_MS = 400;
/** While events keep coming, a checkpoint is signed this often. */
const BUSY_MS = 45_000;

/** When the next checkpoint is due: soon after the last event of a quiet log, and at least once a minute while events come. */
export class SigningSchedule {
  #unsignedSince: number | null = null;
  #lastEventAt = 0;

  /** Milliseconds; `now` never steps back. */
  grew(now: number): void {
    this.#unsignedSince ??= now;
    this.#lastEventAt = now;
  }

  signed(): void {
    this.#unsignedSince = null;
  }

  /** 0: now; Infinity: not before something is added. */
  dueIn(now: number): number {
    if (this.#unsignedSince === null) return Infinity;
    const due = Math.min(this.#lastEventAt + QUIET_MS, this.#unsignedSince + BUSY_MS);
    return Math.max(0, due - now);
  }
}
