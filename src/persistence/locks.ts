/** Never two at a time of one key: the second waits until the first has ended. */
export class Locks {
  private readonly held = new Map<string, Promise<unknown>>();

  isHeld(key: string): boolean {
    return this.held.has(key);
  }

  async alone<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.held.get(key);
    const turn = (before ?? Promise.resolve()).then(work, work);
    const settled = turn.catch(() => undefined);
    this.held.set(key, settled);
    try {
      return await turn;
    } finally {
      if (this.held.get(key) === settled) this.held.delete(key);
    }
  }
}
