import type pg from 'pg';
import { openPool } from '../../src/platform/postgres/pool.ts';
import { LocalWake } from '../../src/platform/postgres/wake.ts';
import { PostgresEventStore } from '../../src/platform/event-store/postgres/postgres-event-store.ts';
import { PostgresLog } from '../../src/platform/log/postgres-log.ts';
import { copyJson, copyLines } from '../../src/platform/read-models/engine/copy.ts';
import { coreViews } from '../../src/app/projection-table.ts';
import { type ViewUnit, viewUnit } from '../../src/platform/read-models/views/unit.ts';
import { UnitViews } from '../../src/platform/read-models/views/unit-views.ts';
import { fillTo } from '../../src/platform/read-models/views/view-fill.ts';
import { ensureViewTables, finishViewTables } from '../../src/platform/read-models/views/view-tables.ts';
import { CHECK_COUNTS, eventsOf, type FlatEvent, projectOfChecks } from './flat-events.ts';

/** A log of many projects and the read models of it, as the service leaves them. */
export interface FlatDatabase {
  readonly url: string;
  readonly projects: number;
  /** Of the last event that was written while building. */
  readonly head: number;
  readonly pool: pg.Pool;
  readonly log: PostgresLog;
  readonly store: PostgresEventStore;
  readonly unit: ViewUnit;
  readonly views: UnitViews;
  /** The project of this many checks (1, 100 or 2,000), each with a verdict. */
  projectOfChecks(checks: number): string;
  close(): Promise<void>;
}

/** Real events of this many projects, and others after them, by COPY, folded by the fill of the service. */
export async function buildFlatDatabase(url: string, projects: number, others: Iterable<FlatEvent> = []): Promise<FlatDatabase> {
  const pool = openPool(url, { name: 'bench', max: 8, statementTimeoutMs: 0, synchronousCommit: false });
  const wake = new LocalWake();
  const log = new PostgresLog(pool, wake);
  const unit = viewUnit('core', coreViews);
  const head = (await writeLog(pool, projects, others)) - 1;
  await pool.query('VACUUM ANALYZE log');
  await ensureViewTables(pool, unit);
  await fillTo({ unit, log, db: pool, schema: unit.schema, signal: new AbortController().signal }, head);
  await finishViewTables(pool, unit);
  // As autovacuum leaves the tables soon after a fill.
  await pool.query('VACUUM ANALYZE');
  await pool.query('CHECKPOINT');
  return {
    ...{ url, projects, head, pool, log, unit, projectOfChecks },
    store: new PostgresEventStore(pool, wake),
    views: new UnitViews(unit, log, pool, () => head),
    close: () => pool.end(),
  };
}

const LOG_COLUMNS = [
  'n',
  'source_position',
  'id',
  'stream',
  'revision',
  'type',
  'version',
  'scope',
  'recorded_at',
  'data',
  'meta',
] as const;
const FIRST = Date.parse('2026-11-01T12:00:00Z');

async function writeLog(pool: pg.Pool, projects: number, others: Iterable<FlatEvent>): Promise<number> {
  const client = await pool.connect();
  const revisions = new Map<string, number>();
  let n = 0;
  function* events(): Generator<FlatEvent> {
    yield* eventsOf(projects, CHECK_COUNTS);
    yield* others;
  }
  function* lines(): Generator<string> {
    for (const { id, stream, type, scope, data, meta } of events()) {
      const revision = (revisions.get(stream) ?? -1) + 1;
      revisions.set(stream, revision);
      const at = new Date(FIRST + n).toISOString();
      yield `${String(n)}\t${String(n)}\t${id}\t${stream}\t${String(revision)}\t${type}\t1\t${scope}\t${at}\t${copyJson(data)}\t${copyJson(meta)}\n`;
      n++;
    }
  }
  try {
    await copyLines(client, 'log', LOG_COLUMNS, lines());
  } finally {
    client.release();
  }
  return n;
}
