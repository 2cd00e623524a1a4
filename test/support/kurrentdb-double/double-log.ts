export interface Proposed {
  readonly id: string;
  readonly type: string;
  readonly contentType: string;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
}

export interface DoubleRecord extends Proposed {
  readonly stream: string;
  readonly revision: number;
  readonly position: bigint;
  readonly created: number;
}

export type Written =
  | { readonly kind: 'written'; readonly revision: number; readonly position: bigint }
  | { readonly kind: 'wrong version'; readonly current: number };

/** -1 expects that the stream does not exist. */
const NO_STREAM = -1;

/** The stored events. An append at an old revision is accepted when it repeats the same ids (an idempotent retry), else refused. */
export class DoubleLog {
  readonly records: DoubleRecord[] = [];
  private readonly streams = new Map<string, DoubleRecord[]>();
  private readonly waiting = new Set<() => void>();
  private end: bigint;

  /** A new server has system events first; another `origin` is another server, with different positions. */
  constructor(origin = 0n) {
    this.end = origin;
    this.append('$scavenges', NO_STREAM, [systemEvent('$>')]);
  }

  stream(name: string): readonly DoubleRecord[] {
    return this.streams.get(name) ?? [];
  }

  append(name: string, expected: number, events: readonly Proposed[]): Written {
    const stream = this.streams.get(name) ?? [];
    const current = stream.length - 1;
    if (expected < current && events.length > 0) {
      const there = stream.slice(expected + 1, expected + 1 + events.length);
      const same = there.length === events.length && there.every((record, index) => record.id === events[index]?.id);
      const last = there.at(-1);
      return same && last ? { kind: 'written', revision: last.revision, position: last.position } : { kind: 'wrong version', current };
    }
    if (expected !== current) return { kind: 'wrong version', current };
    for (const event of events) this.push(name, stream, event);
    this.streams.set(name, stream);
    for (const wake of [...this.waiting]) wake();
    return { kind: 'written', revision: stream.length - 1, position: this.records.at(-1)?.position ?? 0n };
  }

  /** Events that the server writes for itself, which a filtered subscription leaves out. */
  appendSystemEvents(count: number): void {
    for (let index = 0; index < count; index += 1)
      this.append('$stats', this.stream('$stats').length - 1, [systemEvent('$statsCollected')]);
  }

  /** The index of the record at exactly this position, -1 for a position that was made up. */
  indexAt(position: bigint): number {
    let low = 0;
    let high = this.records.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const there = this.records[middle]?.position ?? 0n;
      if (there === position) return middle;
      if (there < position) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }

  /** Resolves at the next append, or when the signal fires. */
  grown(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.waiting.delete(done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      this.waiting.add(done);
      signal.addEventListener('abort', done);
      if (signal.aborted) done();
    });
  }

  private push(name: string, stream: DoubleRecord[], event: Proposed): void {
    const record = { ...event, stream: name, revision: stream.length, position: this.end, created: Date.now() };
    this.end += BigInt(90 + name.length + event.type.length + event.data.length + event.metadata.length);
    stream.push(record);
    this.records.push(record);
  }
}

const systemEvent = (type: string): Proposed => ({
  id: crypto.randomUUID(),
  type,
  contentType: 'application/octet-stream',
  data: new Uint8Array(8),
  metadata: new Uint8Array(0),
});
