/** Mutual exclusion per key, first in, first out. */
export class KeyedMutex {
  private readonly tails = new Map<string, Promise<unknown>>();

  /** `failsTogether`: a failure that those who already wait for this work share, because they would run into it, too. */
  async runExclusive<Result>(
    key: string,
    work: () => Promise<Result>,
    failsTogether: (error: unknown) => boolean = () => false,
  ): Promise<Result> {
    const before = this.tails.get(key) ?? Promise.resolve();
    const result = before.then(work);
    const tail = result.then(
      () => undefined,
      (error: unknown) => {
        if (failsTogether(error)) throw error;
      },
    );
    // Handled by those that wait, if there are any.
    tail.catch(() => undefined);
    this.tails.set(key, tail);
    try {
      return await result;
    } finally {
      if (this.tails.get(key) === tail) this.tails.delete(key);
    }
  }
}
