/** Beyond this a body needs one of the few seats, so that many large pages at once do not take the memory of everybody. */
export const SMALL_BODY = 512 * 1024;

export class LargeBodies {
  private readonly waiting: (() => void)[] = [];

  constructor(private free = 8) {}

  /** Resolves when there is a seat. Whoever gave up waiting passes the seat on. */
  async take(stillWanted: () => boolean): Promise<() => void> {
    if (this.free > 0) this.free--;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
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
