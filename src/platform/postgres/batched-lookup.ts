interface Waiting<Answer> {
  readonly resolve: (answer: Answer | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Coalesces the lookups of one event-loop tick into one query, each key once: a DataLoader without a cache. The query starts after the
 * last of its lookups, so that no answer is older than its question.
 */
export class BatchedLookup<Answer> {
  private waiting = new Map<string, Waiting<Answer>[]>();

  constructor(private readonly query: (keys: readonly string[]) => Promise<ReadonlyMap<string, Answer>>) {}

  load(key: string): Promise<Answer | undefined> {
    return new Promise((resolve, reject) => {
      if (this.waiting.size === 0) setImmediate(() => void this.send());
      const others = this.waiting.get(key);
      if (others === undefined) this.waiting.set(key, [{ resolve, reject }]);
      else others.push({ resolve, reject });
    });
  }

  private async send(): Promise<void> {
    const batch = this.waiting;
    this.waiting = new Map();
    try {
      const answers = await this.query([...batch.keys()]);
      for (const [key, waiting] of batch) for (const { resolve } of waiting) resolve(answers.get(key));
    } catch (error) {
      for (const waiting of batch.values()) for (const { reject } of waiting) reject(error);
    }
  }
}
