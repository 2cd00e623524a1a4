/** At most so many at once; the others in the order in which they came. */
export class AtOnce {
  private readonly waiting: { readonly since: number; readonly begin: () => void }[] = [];
  private running = 0;

  constructor(
    private readonly most: number,
    private readonly steady: () => number = () => performance.now(),
  ) {}

  /** How many wait: a queue that grows is seen before it hurts. */
  get queued(): number {
    return this.waiting.length;
  }

  /** How long the first of them has waited, in milliseconds. */
  get queuedMs(): number {
    const [first] = this.waiting;
    return first === undefined ? 0 : this.steady() - first.since;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.running >= this.most) await new Promise<void>((begin) => this.waiting.push({ since: this.steady(), begin }));
    else this.running++;
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next === undefined) this.running--;
      else next.begin();
    }
  }
}
