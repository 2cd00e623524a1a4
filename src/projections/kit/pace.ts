import { setImmediate as yielding, setTimeout as sleep } from 'node:timers/promises';

/**
 * How much of the time long work may take for itself. A first fill takes all, but for a turn of everybody else between two pages. What is filled again
 * has readers already, who have theirs: it takes a quarter, in small pages, so that requests go on beside it (bench/team-rebuild).
 */
export class Pace {
  private began = performance.now();

  constructor(
    readonly page: number,
    private readonly share: number,
  ) {}

  /** A page is there: what took so long until then was the database's work. */
  begin(): void {
    this.began = performance.now();
  }

  async breathe(): Promise<void> {
    if (this.share >= 1) await yielding();
    else await sleep(Math.max(1, (performance.now() - this.began) * (1 / this.share - 1)));
  }
}

/** A page is small enough to be garbage before the collector has to carry it over. */
export const fullPace = (): Pace => new Pace(1_000, 1);
export const besidePace = (): Pace => new Pace(200, 0.25);
