interface Waiting<Answer> {
  readonly resolve: (answer: Answer | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Asks by key that come in one turn of the event loop travel as one, each key once. Nobody waits for company: what came with the same
 * turn's sockets goes out at its end, after every one of its asks began, so that an answer is never older than its question.
 */
export class Gathered<Answer> {
  private waiting = new Map<string, Waiting<Answer>[]>();

  constructor(private readonly ask: (keys: readonly string[]) => Promise<ReadonlyMap<string, Answer>>) {}

  of(key: string): Promise<Answer | undefined> {
    return new Promise((resolve, reject) => {
      if (this.waiting.size === 0) setImmediate(() => void this.send());
      const others = this.waiting.get(key);
      if (others === undefined) this.waiting.set(key, [{ resolve, reject }]);
      else others.push({ resolve, reject });
    });
  }

  private async send(): Promise<void> {
    const asked = this.waiting;
    this.waiting = new Map();
    try {
      const answers = await this.ask([...asked.keys()]);
      for (const [key, waiting] of asked) for (const { resolve } of waiting) resolve(answers.get(key));
    } catch (error) {
      for (const waiting of asked.values()) for (const { reject } of waiting) reject(error);
    }
  }
}
