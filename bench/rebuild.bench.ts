import type pg from 'pg';
import { openPool } from '../src/platform/postgres/pool.ts';
import { LocalWake } from '../src/platform/postgres/wake.ts';
import type { Log } from '../src/platform/log/log.ts';
import { PostgresLog } from '../src/platform/log/postgres-log.ts';
import { integerColumn } from '../src/platform/read-models/authoring/columns.ts';
import { defineProjection } from '../src/platform/read-models/authoring/define-projection.ts';
import { defineView, scopeId } from '../src/platform/read-models/authoring/define-view.ts';
import { ensureSetTables } from '../src/platform/read-models/sets/set-tables.ts';
import { SetRunner } from '../src/platform/read-models/sets/set-runner.ts';
import { type ViewUnit, viewUnit } from '../src/platform/read-models/views/unit.ts';
import { ViewBuilder } from '../src/platform/read-models/views/view-builder.ts';
import { type Bench, type Figure, figure, inTurns } from './support/bench.ts';
import { schemaOf } from '../src/platform/read-models/engine/schema-names.ts';
import { dropSchema } from '../src/platform/read-models/engine/schemas.ts';
import { ViewRunner } from '../src/platform/read-models/views/view-runner.ts';
import { ensureViewTables, finishViewTables } from '../src/platform/read-models/views/view-tables.ts';

interface Renames {
  readonly title: string;
  readonly count: number;
}

/** A small view, so that the engine is measured and not the author's code. */
const renames = defineView<Renames>()({
  name: 'renames',
  version: 1,
  scope: 'project',
  key: scopeId,
  on: { ProjectRenamed: (row, { data }) => ({ title: data.to, count: (row?.count ?? 0) + 1 }) },
  columns: { count: integerColumn((row: Renames) => row.count) },
});

/** The same as a set projection with SQL. */
const rollup = defineProjection({
  name: 'bench_rollup',
  version: 1,
  tables: ['CREATE TABLE renames (project text PRIMARY KEY, times bigint NOT NULL)'],
  on: {
    ProjectRenamed: ({ scope }, tx) => {
      tx.add('renames', { project: scope }, { times: 1 });
    },
  },
});

const EVENTS = 400_000;
/** By a service that was stopped meanwhile. */
const MISSED = 300_000;
const ROUNDS = 3;

/** Fills a view from a log of renames, with one project per event and with a thousand projects, against reading and parsing that log; and catches up, against filling. */
const bench: Bench = async ({ database, say }) => {
  const url = await database();
  const pool = openPool(url, { name: 'bench', max: 6, statementTimeoutMs: 0, synchronousCommit: false });
  const log = new PostgresLog(pool, new LocalWake());
  const unit = viewUnit('bench', [renames]);
  const figures: Figure[] = [];
  try {
    for (const [name, keys, atLeast] of [
      ['distinct keys', EVENTS, 120_000],
      ['1,000 keys', 1_000, 250_000],
    ] as const) {
      say(`writing ${EVENTS.toLocaleString('en')} events, ${name} ...`);
      await seed(pool, EVENTS, keys);
      const rates = await inTurns(ROUNDS, {
        rollup: async () => EVENTS / (await seconds(() => apply(pool, log))),
        read: async () => EVENTS / (await seconds(() => readAll(log))),
        fill: async () => EVENTS / (await seconds(() => fill(pool, log, unit, EVENTS))),
        catchUp: async () => {
          await fill(pool, log, unit, EVENTS - MISSED);
          return MISSED / (await seconds(() => catchUp(pool, log, unit)));
        },
      });
      figures.push(figure(`rebuild of a view, ${name}`, rates.fill, 'events/s', { ceiling: rates.read, goal: { atLeast } }));
      figures.push(
        figure(`catching up with ${MISSED.toLocaleString('en')} events, ${name}`, rates.catchUp, 'events/s', {
          ceiling: rates.fill,
          goal: { ratio: 0.7 },
        }),
      );
      figures.push(figure(`fill of a rollup, ${name}`, rates.rollup, 'events/s', { ceiling: rates.read }));
    }
  } finally {
    await pool.end();
  }
  return figures;
};

export default bench;

/** Until it is readable, with indexes and statistics. */
async function fill(pool: pg.Pool, log: Log, unit: ViewUnit, events: number): Promise<void> {
  await dropSchema(pool, unit.schema);
  await ensureViewTables(pool, unit);
  await new ViewBuilder(unit, log, pool, unit.schema).fill(events - 1, new AbortController().signal);
  await finishViewTables(pool, unit);
}

async function catchUp(pool: pg.Pool, log: Log, unit: ViewUnit): Promise<void> {
  const runner = new ViewRunner(unit, log, pool);
  await runner.begin();
  while ((await runner.applyNext(new AbortController().signal)) > 0);
}

async function apply(pool: pg.Pool, log: Log): Promise<void> {
  const schema = schemaOf(rollup);
  await dropSchema(pool, schema);
  await ensureSetTables(pool, rollup, schema);
  const runner = new SetRunner(rollup, log, pool, schema);
  await runner.begin();
  while ((await runner.applyBatch()) > 0);
}

async function readAll(log: Log): Promise<void> {
  for (let after = -1; ;) {
    const last = (await log.read({ after, limit: 4_000 })).at(-1);
    if (last === undefined) return;
    after = last.n;
  }
}

async function seconds(work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1_000;
}

async function seed(pool: pg.Pool, events: number, keys: number): Promise<void> {
  await pool.query('TRUNCATE log');
  await pool.query(
    `INSERT INTO log (n, source_position, id, stream, revision, type, version, scope, recorded_at, data, meta)
     SELECT n, n::text, gen_random_uuid(), 'project-' || lpad(to_hex(n % $2), 24, '0'), n / $2, 'ProjectRenamed', 1,
       'project-' || lpad(to_hex(n % $2), 24, '0'), now() + n * interval '1 microsecond', '{"from":"Old title","to":"Title ' || n || '"}',
       '{"actor":{"kind":"user","id":"7"},"correlationId":"' || c || '","causationId":null,"commandId":"' || c
         || '","occurredAt":"2026-01-01T00:00:00.000Z"}'
     FROM generate_series(0, $1::bigint - 1) AS n, gen_random_uuid() AS c`,
    [events, keys],
  );
  await pool.query('VACUUM ANALYZE log');
}
