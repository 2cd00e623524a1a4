interface DeliveryCount {
  times: number;
  /** How many crashes were over when it came first. */
  readonly since: number;
}

/** How often each message arrived and may arrive: once, and once more for each crash that was not over when it first came. */
export class DeliveryCounts {
  private readonly seen = new Map<string, DeliveryCount>();
  private crashes = 0;
  private underWay = 0;

  hear(id: string): void {
    const known = this.seen.get(id);
    if (known !== undefined) known.times++;
    // A message that arrives during a crash was sent before it.
    else this.seen.set(id, { times: 1, since: this.crashes - this.underWay });
  }

  crashBegins(): void {
    this.crashes++;
    this.underWay++;
  }

  /** Everything is there again. */
  crashesOver(): void {
    this.underWay = 0;
  }

  has(id: string): boolean {
    return this.seen.has(id);
  }

  get repeats(): number {
    return [...this.seen.values()].reduce((sum, { times }) => sum + times - 1, 0);
  }

  tooOften(): readonly string[] {
    return [...this.seen].flatMap(([id, { times, since }]) =>
      times > 1 + this.crashes - since
        ? [`the message ${id} came ${String(times)} times, and ${String(this.crashes - since)} crashes explain it`]
        : [],
    );
  }
}
