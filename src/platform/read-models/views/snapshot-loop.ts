import type pg from 'pg';
import { pause } from '../../../kernel/abortable.ts';
import type { Log } from '../../log/log.ts';
import { VoidedEvents } from '../engine/voided-events.ts';
import { ScopeFold, type ScopeSource } from './scope-fold.ts';
import { type ScopeSnapshot, ScopeSnapshots } from './scope-snapshots.ts';
import type { FoldedRows } from './stored-row.ts';
import type { ViewUnit } from './unit.ts';

/** Events of a scope from one snapshot to the next. */
const EVERY = 2_000;
/** Events of the log that are read at once. */
const BLOCK = 20_000;
const PAUSE_MS = 10_000;

export interface SnapshotLoopOptions {
  readonly unit: ViewUnit;
  readonly log: Log;
  readonly db: pg.Pool;
  readonly every?: number;
}

interface Place {
  readonly n: string;
  readonly id: string;
}

/**
 * Makes the snapshots of long scopes as the log grows, in one instance. It samples one event in 256, by the last byte of its id, and extends only the scopes
 * of those: of 2,000 events of a scope none is sampled in one case of 2,500, whose snapshot follows later. A read makes no snapshot.
 */
export class SnapshotLoop {
  private readonly voided: VoidedEvents;
  private readonly snapshots: ScopeSnapshots;
  private readonly every: number;

  constructor(private readonly options: SnapshotLoopOptions) {
    this.voided = new VoidedEvents(options.log, options.unit);
    this.snapshots = new ScopeSnapshots(options.db, options.unit);
    this.every = options.every ?? EVERY;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { db, log, unit } = this.options;
    await this.forgetRetired();
    const { rows } = await db.query<{ n: string }>('SELECT n FROM as_of_progress WHERE schema = $1', [unit.schema]);
    let position = Number(rows[0]?.n ?? -1);
    while (!signal.aborted) {
      const head = await log.head();
      // After a failover the log may be shorter than it was.
      const until = Math.min(position + BLOCK, head);
      if (until <= position) {
        position = Math.min(position, head);
        await pause(PAUSE_MS, signal);
        continue;
      }
      for (const scope of await this.sampled(position, until)) {
        if (signal.aborted) return;
        await this.extend(scope, signal);
      }
      position = until;
      await db.query('INSERT INTO as_of_progress (schema, n) VALUES ($1, $2) ON CONFLICT (schema) DO UPDATE SET n = excluded.n', [
        ...[unit.schema, position],
      ]);
    }
  }

  /** Every snapshot of the scope that is due. */
  async extend(scope: string, signal?: AbortSignal): Promise<void> {
    const { unit, log } = this.options;
    await this.voided.refresh();
    for (;;) {
      const voidedUntil = this.voided.known().until;
      const base = await this.snapshots.read(scope, Number.MAX_SAFE_INTEGER, unit.views, this.voided);
      const next = await this.placeAfter(scope, base?.n ?? -1);
      if (next === undefined || signal?.aborted === true) return;
      const n = Number(next.n);
      const rows = await foldAll({ unit, log, voided: this.voided, base: () => Promise.resolve(base) }, scope, n);
      // A parked row may be another one once the program is mended.
      if ([...rows.values()].some((ofView) => [...ofView.values()].some(({ parked }) => parked))) return;
      await this.snapshots.write({ scope, n, eventId: next.id, voidedUntil }, rows);
    }
  }

  /** Folds every scope with snapshots again, each snapshot from the one before it, and answers those that differ, as `scope view n`. */
  async verify(signal: AbortSignal, progress: (done: number, total: number) => void): Promise<readonly string[]> {
    const { unit, log, db } = this.options;
    await this.voided.refresh();
    const { rows: places } = await db.query<{ scope: string; n: string }>(
      'SELECT scope, n FROM as_of_snapshot WHERE schema = $1 ORDER BY scope, n',
      [unit.schema],
    );
    const wrong: string[] = [];
    let before: { readonly scope: string; readonly snapshot: ScopeSnapshot } | undefined;
    for (const [index, { scope, n }] of places.entries()) {
      if (signal.aborted) break;
      const stored = await this.snapshots.read(scope, Number(n), unit.views, this.voided);
      progress(index + 1, places.length);
      if (stored?.n !== Number(n)) continue;
      const base = before?.scope === scope ? before.snapshot : null;
      const rows = await foldAll({ unit, log, voided: this.voided, base: () => Promise.resolve(base) }, scope, stored.n);
      for (const [view, ofView] of rows) if (textOf(ofView) !== textOf(stored.rows.get(view))) wrong.push(`${scope} ${view} ${n}`);
      before = { scope, snapshot: { n: stored.n, rows } };
    }
    return wrong;
  }

  private async sampled(after: number, until: number): Promise<readonly string[]> {
    const { rows } = await this.options.db.query<{ scope: string }>({
      name: 'as_of_sample',
      text: 'SELECT DISTINCT scope FROM log WHERE n > $1 AND n <= $2 AND get_byte(uuid_send(id), 15) = 0',
      values: [after, until],
    });
    return rows.map(({ scope }) => scope);
  }

  private async placeAfter(scope: string, n: number): Promise<Place | undefined> {
    const { rows } = await this.options.db.query<Place>({
      name: 'as_of_place',
      text: `SELECT l.n, l.id FROM (SELECT n FROM log WHERE (scope, n) > ($1, $2) AND scope = $1 ORDER BY scope, n OFFSET $3 LIMIT 1) AS due
        JOIN log AS l ON l.n = due.n`,
      values: [scope, n, this.every - 1],
    });
    return rows[0];
  }

  /** Versions of the views that no instance feeds any more, a day after their tables. */
  private async forgetRetired(): Promise<void> {
    const { db, unit } = this.options;
    for (const table of ['as_of_snapshot', 'as_of_progress'])
      await db.query(`DELETE FROM ${table} WHERE schema <> $1 AND schema NOT IN (SELECT schema FROM projection)`, [unit.schema]);
  }
}

async function foldAll(source: ScopeSource, scope: string, until: number): Promise<ReadonlyMap<string, FoldedRows>> {
  const fold = new ScopeFold(source, scope, until);
  return new Map(await Promise.all(source.unit.views.map(async (view) => [view.name, await fold.rowsOf(view)] as const)));
}

const textOf = (rows: FoldedRows | undefined): string =>
  JSON.stringify([...(rows?.values() ?? [])].flatMap(({ key, row }) => (row === null ? [] : [[key, row]])).sort(byKey));

const byKey = ([one]: readonly unknown[], [other]: readonly unknown[]): number => (String(one) < String(other) ? -1 : 1);
