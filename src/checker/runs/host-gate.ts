/** One request at a time to a host for a project, `delay` after the one before (decisions.md, T13). */
export class HostGate {
  private readonly lines = new Map<string, Promise<void>>();

  async pass<T>(key: string, delayMs: number, work: () => Promise<T>, sleep: (milliseconds: number) => Promise<void>): Promise<T> {
    const before = this.lines.get(key) ?? Promise.resolve();
    const turn = before.then(work);
    const free = turn.then(
      () => sleep(delayMs),
      () => sleep(delayMs),
    );
    this.lines.set(key, free);
    void free.then(() => {
      if (this.lines.get(key) === free) this.lines.delete(key);
    });
    return turn;
  }
}
