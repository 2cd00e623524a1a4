/** A part that works by itself between the start and the end of the program, such as a leased loop, a mirror or the checker. */
export interface LongRunning {
  /** In the log; that of its class where it has none. */
  readonly name?: string;
  start(): Promise<void> | void;
  /** Resolves when the parts after it may rely on it, or when the signal aborts. */
  ready?(signal: AbortSignal): Promise<void>;
  /** Ends the work that no request depends on, while the last requests are still answered. */
  drain?(): Promise<void>;
  /** Ends all work; resolves when nothing of it runs any more. Also called for a part that never started. */
  close(): Promise<void>;
}

/** All long-running parts of one process: started in the order in which they were added, closed in reverse. */
export class Lifecycle {
  private readonly parts: LongRunning[] = [];
  private started = 0;
  private readonly closing = new AbortController();
  private closed: Promise<void> | undefined;
  /** Parts that are draining, or not closed yet. */
  private readonly unfinished = new Set<LongRunning>();

  add(...parts: readonly LongRunning[]): this {
    this.parts.push(...parts);
    return this;
  }

  /** Starts the parts that were added since the last call, each after those before it are ready. Returns early when the lifecycle is closed meanwhile. */
  async start(): Promise<void> {
    const { signal } = this.closing;
    for (let part = this.parts[this.started]; part !== undefined && !signal.aborted; part = this.parts[this.started]) {
      this.started++;
      await part.start();
      if (!signal.aborted) await part.ready?.(signal);
    }
  }

  async drain(): Promise<void> {
    await Promise.all(
      this.parts.slice(0, this.started).map(async (part) => {
        if (part.drain === undefined) return;
        this.unfinished.add(part);
        await part.drain();
        this.unfinished.delete(part);
      }),
    );
  }

  /** A part that fails to close does not keep the others open; the failure is rethrown at the end. */
  close(): Promise<void> {
    this.closing.abort();
    return (this.closed ??= this.closeAll());
  }

  /** After the last request was answered. */
  get isClosing(): boolean {
    return this.closing.signal.aborted;
  }

  /** The names of parts that are draining or have not closed yet, in the order in which they close. */
  get pending(): readonly string[] {
    return this.parts
      .toReversed()
      .filter((part) => this.unfinished.has(part))
      .map((part) => part.name ?? part.constructor.name);
  }

  private async closeAll(): Promise<void> {
    const failures: unknown[] = [];
    for (const part of this.parts) this.unfinished.add(part);
    for (const part of this.parts.toReversed()) {
      await part.close().catch((error: unknown) => failures.push(error));
      this.unfinished.delete(part);
    }
    if (failures.length > 0) throw new AggregateError(failures, `${String(failures.length)} parts did not close`);
  }
}
