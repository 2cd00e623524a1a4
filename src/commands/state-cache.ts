interface Entry {
  readonly state: unknown;
  readonly revision: number;
}

const CAPACITY = 20_000;

/** Folded states by stream, least recently used first out. A stale entry costs one conflict, never a wrong decision: the append names the revision. */
export class StateCache {
  private readonly entries = new Map<string, Entry>();

  get<State>(stream: string): { readonly state: State; readonly revision: number } | null {
    const entry = this.entries.get(stream);
    if (entry === undefined) return null;
    this.entries.delete(stream);
    this.entries.set(stream, entry);
    return entry as { state: State; revision: number };
  }

  set(stream: string, entry: Entry): void {
    const known = this.entries.get(stream);
    if (known !== undefined && known.revision > entry.revision) return;
    this.entries.delete(stream);
    this.entries.set(stream, entry);
    if (this.entries.size > CAPACITY) {
      const oldest = this.entries.keys().next();
      if (oldest.done !== true) this.entries.delete(oldest.value);
    }
  }

  drop(stream: string): void {
    this.entries.delete(stream);
  }
}
