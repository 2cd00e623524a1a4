import { PersistentMap } from '../../../kernel/persistent-map.ts';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import type { EventStore } from '../../event-store/event-store.ts';
import type { StreamTarget } from '../../../kernel/decider.ts';
import type { EventBody, NewEvent } from '../../../kernel/event.ts';
import { revisionNumber } from '../new-events.ts';
import { beginningOf, type FoldedStream, foldStream } from '../fold-stream.ts';
import { type Fold, type Folds, together, type StreamSnapshots } from './stream-snapshots.ts';
import type pg from 'pg';

const MAP = '$map';
const SET = '$set';
const PERSISTENT = '$persistent';
const PLAIN = '$plain';

/** The state of a decider as JSON: plain data, maps and sets. Throws on anything else. */
export const encodeState = (state: unknown): string => JSON.stringify(toJson(state));

export const decodeState = (text: string): unknown => fromJson(JSON.parse(text));

function toJson(value: unknown): unknown {
  if (typeof value === 'function' || typeof value === 'symbol' || typeof value === 'bigint')
    throw new TypeError(`not plain data: ${typeof value}`);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(toJson);
  if (value instanceof PersistentMap) return { [PERSISTENT]: entriesOf(value) };
  if (value instanceof Map) return { [MAP]: entriesOf(value) };
  if (value instanceof Set) return { [SET]: [...value].map(toJson) };
  if (Object.getPrototypeOf(value) !== Object.prototype) throw new TypeError(`not plain data: ${value.constructor.name}`);
  const members = Object.entries(value).map(([name, member]) => [name, toJson(member)] as const);
  // A name that users chose must not be taken for a tag.
  return members.some(([name]) => name.startsWith('$') || name === '__proto__') ? { [PLAIN]: members } : Object.fromEntries(members);
}

const entriesOf = (map: Iterable<readonly [unknown, unknown]>): unknown[] =>
  Array.from(map, ([key, value]) => [toJson(key), toJson(value)]);

type Pairs = readonly (readonly [string, unknown])[];

function fromJson(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(fromJson);
  const [[tag, tagged] = ['', null]] = Object.entries(value);
  // Casts: a tag was written with what `toJson` put behind it.
  if (tag === SET) return new Set((tagged as readonly unknown[]).map(fromJson));
  if (tag === MAP) return new Map(decoded(tagged as Pairs));
  if (tag === PERSISTENT) return PersistentMap.from(decoded(tagged as Pairs));
  return Object.fromEntries(decoded(tag === PLAIN ? (tagged as Pairs) : Object.entries(value)));
}

const decoded = (pairs: Pairs): [string, unknown][] => pairs.map(([key, value]) => [fromJson(key) as string, fromJson(value)]);

const [deflate, inflate] = [promisify(deflateRaw), promisify(inflateRaw)];
/** Characters. A larger state is folded from the log. */
const LARGEST_STATE = 16_000_000;
/** Streams that wait for their next snapshot; beyond them a stream waits for its next turn. */
const MAX_WAITING = 1_000;

interface SnapshotRow {
  readonly fold: string;
  readonly version: string;
  readonly revision: string;
  readonly event_id: string;
  readonly event_hash: Buffer;
  readonly state: Buffer;
}

/**
 * One row per stream and fold. Everything in it can be folded again: it is written without a flush, one stream at a time and after the answer, and it counts
 * only as long as the stream holds the event that it stands on, unchanged.
 */
export class PostgresStreamSnapshots implements StreamSnapshots {
  private readonly waiting = new Set<string>();
  private running: Promise<void> | undefined;
  private isClosed = false;

  constructor(
    private readonly db: pg.Pool,
    private readonly store: Pick<EventStore, 'readStream'>,
    private readonly folds: Folds,
    private readonly report: (error: unknown) => void = () => undefined,
  ) {}

  async load<State, Event extends EventBody>({ stream, decider }: StreamTarget<State, Event>): Promise<FoldedStream<State> | null> {
    const folds = this.folds.ofDecider(stream, decider);
    const loaded = folds && (await this.read(stream, folds));
    if (loaded === null) return null;
    // Cast: the rows were written by these folds.
    return { ...loaded, state: (decider.parts === undefined ? loaded.state[0] : loaded.state) as State };
  }

  /** Folds every stream with snapshots from its first event and compares; answers those that differ, as `stream fold`. */
  async verify(signal: AbortSignal, progress: (done: number, total: number) => void): Promise<readonly string[]> {
    const { rows: streams } = await this.db.query<{ stream: string }>('SELECT DISTINCT stream FROM stream_snapshot ORDER BY stream');
    const wrong: string[] = [];
    for (const [index, { stream }] of streams.entries()) {
      if (signal.aborted) break;
      wrong.push(...(await this.differing(stream)));
      progress(index + 1, streams.length);
    }
    return wrong;
  }

  /** A snapshot that would be ignored is not wrong. */
  private async differing(stream: string): Promise<readonly string[]> {
    const folds = this.folds.of(stream);
    const known = await this.read(stream, folds);
    if (known === null) return [];
    const target = { stream, decider: together(folds) };
    const usable = await foldStream(this.store, target, known, { limit: 1 });
    const folded = usable && (await foldStream(this.store, target, beginningOf(target), { limit: revisionNumber(known.revision) + 1 }));
    if (folded === null) return [];
    return folds.flatMap(({ name }, index) =>
      encodeState(folded.state[index]) === encodeState(known.state[index]) ? [] : [`${stream} ${name}`],
    );
  }

  refresh(stream: string): void {
    if (this.isClosed || this.waiting.size >= MAX_WAITING || this.folds.of(stream).length === 0) return;
    this.waiting.add(stream);
    this.running ??= this.run();
  }

  /** Resolves when no refresh is under way. */
  async idle(): Promise<void> {
    await this.running;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.waiting.clear();
    await this.running;
  }

  private async run(): Promise<void> {
    // Not in the turn of the append: its answer comes first.
    await new Promise(setImmediate);
    for (const stream of this.waiting) {
      this.waiting.delete(stream);
      await this.make(stream).catch(this.report);
    }
    this.running = undefined;
  }

  private async make(stream: string): Promise<void> {
    const folds = this.folds.of(stream);
    const target = { stream, decider: together(folds) };
    const known = await this.read(stream, folds);
    const folded = (known && (await foldStream(this.store, target, known))) ?? (await foldStream(this.store, target, beginningOf(target)));
    if (folded?.lastRead == null) return;
    const { state: states, lastRead } = folded;
    for (const [index, fold] of folds.entries()) await this.write(stream, fold, states[index], lastRead);
  }

  private async write(
    stream: string,
    { name, version }: Fold,
    state: unknown,
    event: NewEvent & { readonly revision: number },
  ): Promise<void> {
    const text = encodeState(state);
    if (text.length > LARGEST_STATE) return;
    await this.db.query({
      name: 'stream_snapshot_write',
      text: `WITH unflushed AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))
        INSERT INTO stream_snapshot (stream, fold, version, revision, event_id, event_hash, state)
        SELECT $1, $2, $3, $4, $5, $6, $7 FROM unflushed
        ON CONFLICT (stream, fold) DO UPDATE SET version = excluded.version, revision = excluded.revision,
          event_id = excluded.event_id, event_hash = excluded.event_hash, state = excluded.state`,
      values: [stream, name, version, event.revision, event.id, contentHash(event), await deflate(text, { level: 1 })],
    });
  }

  /** The states of all folds at one revision; null where one is missing, of another version or unreadable. */
  private read(stream: string, folds: readonly Fold[]): Promise<FoldedStream<readonly unknown[]> | null> {
    return this.readRows(stream, folds).catch(() => null);
  }

  private async readRows(stream: string, folds: readonly Fold[]): Promise<FoldedStream<readonly unknown[]> | null> {
    const { rows } = await this.db.query<SnapshotRow>({
      name: 'stream_snapshot_read',
      text: 'SELECT fold, version, revision, event_id, event_hash, state FROM stream_snapshot WHERE stream = $1 AND fold = ANY($2)',
      values: [stream, folds.map(({ name }) => name)],
    });
    const found = folds.flatMap(({ name, version }) => rows.filter((row) => row.fold === name && row.version === version));
    const [first] = found;
    if (first === undefined || found.length < folds.length || found.some((row) => row.revision !== first.revision)) return null;
    const states = await Promise.all(found.map(async ({ state }) => decodeState((await inflate(state)).toString())));
    return {
      state: states,
      revision: Number(first.revision),
      lastEventId: first.event_id,
      standsOn: (event) => found.every((row) => row.event_hash.equals(contentHash(event))),
    };
  }
}

/** An id is derived from the command and the place: after a failover, a retry may write other content under it. */
const contentHash = ({ type, version, data, meta: { occurredAt } }: NewEvent): Buffer =>
  createHash('sha256')
    .update(JSON.stringify([type, version, occurredAt, data]))
    .digest();
