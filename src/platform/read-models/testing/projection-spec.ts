import { deepStrictEqual, ok, rejects } from 'node:assert/strict';
import type pg from 'pg';
import type { Events, EventType } from '../../../events.ts';
import { CheckpointMoved } from '../engine/checkpoint.ts';
import type { View } from '../authoring/define-view.ts';
import type { Projection } from '../authoring/define-projection.ts';
import type { PastTables } from '../authoring/projection-tables.ts';
import { ensureSetTables } from '../sets/set-tables.ts';
import { PastProjections } from '../sets/past-projections.ts';
import { SetRunner } from '../sets/set-runner.ts';
import { SpecLog } from './spec-log.ts';
import { viewUnit } from '../views/unit.ts';
import { ViewRunner } from '../views/view-runner.ts';
import { tableOf, ensureViewTables, finishViewTables } from '../views/view-tables.ts';
import { schemaOf } from '../engine/schema-names.ts';
import { dropSchema } from '../engine/schemas.ts';

export interface SpecEvent {
  readonly scope: string;
  readonly type: string;
  readonly data: object;
  readonly occurredAt?: string;
}

/** An event for a test: `occurred('project-1', 'ProjectRenamed', { from: 'a', to: 'b' })`. */
export const occurred = <Type extends EventType>(scope: string, type: Type, data: Events[Type], occurredAt?: string): SpecEvent => ({
  scope,
  type,
  data,
  ...(occurredAt !== undefined && { occurredAt }),
});

interface PageRunner {
  begin(): Promise<void>;
  applyPage(limit: number): Promise<number>;
}

/**
 * Applies the events one by one in a real Postgres. A second runner, which does not know of the first one, delivers each event again; it has
 * to be refused, or the checkpoint would not be part of the transaction.
 */
export async function deliverTwice(newRunner: () => PageRunner, events: number): Promise<void> {
  const [first, second] = [newRunner(), newRunner()];
  for (let count = 0; count < events; count++) {
    await first.begin();
    await second.begin();
    ok((await first.applyPage(1)) === 1, 'every event is applied');
    await rejects(second.applyPage(1), CheckpointMoved);
  }
}

/** `pool` is one of a migrated database that belongs to the test alone: its log is truncated. */
export function projectionSpec(projection: Projection, pool: pg.Pool) {
  const schema = schemaOf(projection);
  return {
    given: (events: readonly SpecEvent[]) => ({
      /** All rows of the table, in any order. */
      thenRows: async (table: string, rows: readonly object[]): Promise<void> => {
        const log = await freshLog(pool, schema);
        await ensureSetTables(pool, projection, schema);
        await log.appendAll(events);
        await deliverTwice(() => new SetRunner(projection, log, pool, schema), events.length);
        await assertNothingParked(pool);
        deepStrictEqual(sorted(await rowsOf(pool, `"${schema}"."${table}"`)), sorted(rows));
      },
      /** What `ProjectionTables.asOf` answers to this query as of the event at this position (the first is 0), with the events of this project or account. */
      thenAsOf: async (position: number, scope: string, text: string, rows: readonly object[]): Promise<void> => {
        const past = await pastTables(pool, schema, events, position);
        deepStrictEqual(sorted(await past.query(projection, scope, text)), sorted(rows));
      },
    }),
  };
}

export function viewSpec<Row extends object>(view: View<Row>, pool: pg.Pool) {
  const unit = viewUnit('spec', [view]);
  return {
    given: (events: readonly SpecEvent[]) => ({
      /** The rows that exist, by key. */
      thenRows: async (rows: Readonly<Record<string, Row>>): Promise<void> => {
        const log = await freshLog(pool, unit.schema);
        await ensureViewTables(pool, unit);
        await finishViewTables(pool, unit);
        await log.appendAll(events);
        await deliverTwice(() => new ViewRunner(unit, log, pool), events.length);
        await assertNothingParked(pool);
        const found = await pool.query<{ key: string; doc: Row }>(
          `SELECT key, doc FROM ${tableOf(unit.schema, view)} WHERE doc IS NOT NULL`,
        );
        deepStrictEqual(Object.fromEntries(found.rows.map(({ key, doc }) => [key, doc])), rows);
      },
      /** What `ProjectionTables.asOf` answers as of the event at this position (the first is 0), with the events of this project or account. */
      thenRowsAsOf: async (position: number, scope: string, rows: Readonly<Record<string, Row>>): Promise<void> => {
        const past = await pastTables(pool, unit.schema, events, position);
        deepStrictEqual(Object.fromEntries(await past.rows(view, scope)), rows);
      },
    }),
  };
}

async function pastTables(pool: pg.Pool, schema: string, events: readonly SpecEvent[], position: number): Promise<PastTables> {
  const log = await freshLog(pool, schema);
  await log.appendAll(events);
  return new PastProjections(log, pool).asOf(String(position));
}

export async function freshLog(pool: pg.Pool, schema: string): Promise<SpecLog> {
  await pool.query('TRUNCATE log');
  await dropSchema(pool, schema);
  return new SpecLog(pool);
}

export async function assertNothingParked(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query('SELECT view, key, type, error FROM projection_parked');
  deepStrictEqual(rows, [], 'an event could not be applied');
}

export async function rowsOf(pool: pg.Pool, table: string): Promise<readonly object[]> {
  const { rows } = await pool.query<object>(`SELECT * FROM ${table}`);
  return rows;
}

/** Neither rows nor columns of a table have an order. */
export const sorted = (rows: readonly object[]): readonly string[] =>
  rows.map((row) => JSON.stringify(Object.entries(row).sort(([left], [right]) => (left < right ? -1 : 1)))).sort();
