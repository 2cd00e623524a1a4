/** Beyond this a body needs one of the few seats, so that many large pages at once do not take the memory of everybody. */
export const SMALL_BODY = 512 * 1024;

export interface LargeBodiesOptions {
  readonly seats?: number;
  /** So many at the most wait for one, each with as much in its hands as a small body has. */
  readonly longest?: number;
}

export class LargeBodies {
  private readonly waiting: (() => void)[] = [];
  private readonly longest: number;
  private free: number;
  putOff = 0;

  constructor({ seats = 8, longest = 64 }: LargeBodiesOptions = {}) {
    this.free = seats;
    this.longest = longest;
  }

  get queued(): number {
    return this.waiting.length;
  }

  /** Resolves when there is a seat; with null, and at once, when too many wait for one. Whoever gave up waiting passes the seat on. */
  async take(stillWanted: () => boolean): Promise<(() => void) | null> {
    if (this.free > 0) this.free--;
    else if (this.waiting.length >= this.longest) {
      this.putOff++;
      return null;
    } else await new Promise<void>((resolve) => this.waiting.push(resolve));
    let taken = true;
    const release = (): void => {
      if (!taken) return;
      taken = false;
      const next = this.waiting.shift();
      if (next === undefined) this.free++;
      else next();
    };
    if (!stillWanted()) release();
    return release;
  }
}
