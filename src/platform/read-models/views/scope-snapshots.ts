import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import type pg from 'pg';
import { TimeSlice } from '../../../kernel/time-slice.ts';
import { inTransaction } from '../../postgres/transaction.ts';
import type { View } from '../authoring/define-view.ts';
import type { VoidedEvents } from '../engine/voided-events.ts';
import type { FoldedRows, StoredRow } from './stored-row.ts';
import type { ViewUnit } from './unit.ts';

const [deflate, inflate] = [promisify(deflateRaw), promisify(inflateRaw)];
/** Characters of a part: it is parsed in one go. */
const PART = 256 * 1024;

/** The rows of a scope, by the name of their view, as of the event `n`. */
export interface ScopeSnapshot {
  readonly n: number;
  readonly rows: ReadonlyMap<string, FoldedRows>;
}

/** The event that a snapshot stands on. */
export interface SnapshotPlace {
  readonly scope: string;
  readonly n: number;
  readonly eventId: string;
  /** The last event in the scope of voided events that was considered. */
  readonly voidedUntil: number;
}

/** The newest snapshot that the log confirms: it holds the event that the snapshot stands on, and nothing before that was voided since. */
const NEWEST = `
  SELECT s.n FROM as_of_snapshot AS s JOIN log AS l ON l.n = s.n AND l.id = s.event_id AND l.scope = s.scope
  WHERE s.schema = $1 AND s.scope = $2 AND s.n <= $3 AND s.voided_until <= $4
    AND NOT EXISTS (SELECT FROM unnest($5::bigint[], $6::bigint[]) AS v(n, by) JOIN log AS e ON e.n = v.n
                    WHERE v.by > s.voided_until AND v.n <= s.n AND e.scope = s.scope)
  ORDER BY s.n DESC LIMIT 1`;

interface PartRow {
  readonly n: string;
  readonly view: string | null;
  readonly rows: Buffer | null;
}

type Item = readonly [key: string, row: object];

/** Rows of long scopes as of every few thousand events, derived from the log; of the unit's version, so that a changed view ignores them. */
export class ScopeSnapshots {
  constructor(
    private readonly db: pg.Pool,
    private readonly unit: ViewUnit,
  ) {}

  /** The newest usable snapshot up to `until`, with the rows of these views. */
  async read(scope: string, until: number, views: readonly Pick<View, 'name'>[], voided: VoidedEvents): Promise<ScopeSnapshot | null> {
    const known = voided.known();
    const { rows: parts } = await this.db.query<PartRow>({
      name: 'as_of_snapshot_read',
      text: `WITH newest AS MATERIALIZED (${NEWEST})
        SELECT newest.n, r.view, r.rows FROM newest
        LEFT JOIN as_of_rows AS r ON r.schema = $1 AND r.scope = $2 AND r.n = newest.n AND r.view = ANY($7) ORDER BY r.view, r.part`,
      values: [
        ...[this.unit.schema, scope, until, known.until, [...known.voided.keys()], [...known.voided.values()]],
        views.map(({ name }) => name),
      ],
    });
    const [first] = parts;
    if (first === undefined) return null;
    const rows = new Map(views.map(({ name }) => [name, new Map<string, StoredRow>()]));
    const slice = new TimeSlice();
    for (const part of parts) {
      if (part.view === null || part.rows === null) continue;
      const text = (await inflate(part.rows)).toString();
      if (slice.isOver) await slice.next();
      // Cast: `write` made it.
      for (const [key, row] of JSON.parse(text) as readonly Item[])
        rows.get(part.view)?.set(key, { key, scope, n: Number(first.n), row, parked: false });
    }
    return { n: Number(first.n), rows };
  }

  /** In one transaction that does not wait for the disk: what is lost is made again. */
  async write({ scope, n, eventId, voidedUntil }: SnapshotPlace, rows: ReadonlyMap<string, FoldedRows>): Promise<void> {
    const parts: { readonly view: string; readonly part: number; readonly rows: Buffer }[] = [];
    for (const [view, ofView] of rows)
      for await (const text of partsOf(ofView)) parts.push({ view, part: parts.length, rows: await deflate(text, { level: 1 }) });
    const { schema } = this.unit;
    await inTransaction(this.db, async (client) => {
      await client.query('SET LOCAL synchronous_commit = off');
      await client.query('DELETE FROM as_of_snapshot WHERE schema = $1 AND scope = $2 AND n = $3', [schema, scope, n]);
      await client.query('INSERT INTO as_of_snapshot (schema, scope, n, event_id, voided_until) VALUES ($1, $2, $3, $4, $5)', [
        ...[schema, scope, n, eventId, voidedUntil],
      ]);
      for (const { view, part, rows: packed } of parts)
        await client.query('INSERT INTO as_of_rows (schema, scope, n, view, part, rows) VALUES ($1, $2, $3, $4, $5, $6)', [
          ...[schema, scope, n, view, part, packed],
        ]);
    });
  }
}

/** The rows that exist, as JSON, in parts. */
async function* partsOf(rows: FoldedRows): AsyncGenerator<string> {
  const slice = new TimeSlice();
  let [items, length]: [string[], number] = [[], 0];
  for (const { key, row } of rows.values()) {
    if (row === null) continue;
    if (slice.isOver) await slice.next();
    const item = JSON.stringify([key, row] satisfies Item);
    items.push(item);
    length += item.length;
    if (length < PART) continue;
    yield `[${items.join(',')}]`;
    [items, length] = [[], 0];
  }
  if (items.length > 0) yield `[${items.join(',')}]`;
}
