interface Entry {
  readonly state: unknown;
  readonly revision: number;
  /** The id of the event at that revision: the stream may have lost it. */
  readonly last: string;
}

const CAPACITY = 20_000;

/**
 * Folded states by decider and stream, least recently used first out. A stale entry costs one conflict, never a wrong decision:
 * the append names the revision. (Unless a failover lost the end of the stream and somebody else wrote as much again meanwhile.)
 */
export class StateCache {
  private readonly byDecider = new WeakMap<object, Map<string, Entry>>();

  get<State>(decider: object, stream: string): (Entry & { readonly state: State }) | null {
    const entries = this.entries(decider);
    const entry = entries.get(stream);
    if (entry === undefined) return null;
    entries.delete(stream);
    entries.set(stream, entry);
    return entry as Entry & { readonly state: State };
  }

  set(decider: object, stream: string, entry: Entry): void {
    const entries = this.entries(decider);
    const known = entries.get(stream);
    if (known !== undefined && known.revision > entry.revision) return;
    entries.delete(stream);
    entries.set(stream, entry);
    if (entries.size <= CAPACITY) return;
    const oldest = entries.keys().next();
    if (oldest.done !== true) entries.delete(oldest.value);
  }

  drop(decider: object, stream: string): void {
    this.entries(decider).delete(stream);
  }

  private entries(decider: object): Map<string, Entry> {
    let entries = this.byDecider.get(decider);
    if (entries === undefined) {
      entries = new Map();
      this.byDecider.set(decider, entries);
    }
    return entries;
  }
}
