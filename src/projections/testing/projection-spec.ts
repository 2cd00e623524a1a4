import { deepStrictEqual, ok, rejects } from 'node:assert/strict';
import type pg from 'pg';
import type { Events, EventType } from '../../domain/events.ts';
import { CheckpointMoved } from '../engine/checkpoint.ts';
import type { View } from '../authoring/define-view.ts';
import type { Projection } from '../authoring/define-projection.ts';
import { ensureSetSchema } from '../sets/set-schema.ts';
import { SetRunner } from '../sets/set-runner.ts';
import { SpecLog } from './spec-log.ts';
import { dropSchema, ensureSchema, finishSchema } from '../views/unit-schema.ts';
import { viewUnit } from '../views/unit.ts';
import { ViewRunner } from '../views/view-runner.ts';
import { tableOf } from '../views/view-tables.ts';
import { schemaOf } from '../engine/schema-names.ts';

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

interface Steps {
  begin(): Promise<void>;
  step(limit: number): Promise<number>;
}

/**
 * Applies the events one by one in a real Postgres, each delivered a second time by a runner that does not know of the first: that one
 * has to be refused, or the checkpoint would not be part of the transaction.
 */
export async function deliverTwice(make: () => Steps, events: number): Promise<void> {
  const [first, second] = [make(), make()];
  for (let count = 0; count < events; count++) {
    await first.begin();
    await second.begin();
    ok((await first.step(1)) === 1, 'every event is taken');
    await rejects(second.step(1), CheckpointMoved);
  }
}

/** `pool` leads to a migrated database that belongs to the test alone: its log is emptied. */
export function projectionSpec(projection: Projection, pool: pg.Pool) {
  const schema = schemaOf(projection);
  return {
    given: (events: readonly SpecEvent[]) => ({
      /** All rows of the table, in any order. */
      thenRows: async (table: string, rows: readonly object[]): Promise<void> => {
        const log = await freshLog(pool, schema);
        await ensureSetSchema(pool, projection, schema);
        await log.appendAll(events);
        await deliverTwice(() => new SetRunner(projection, log, pool, schema), events.length);
        await nothingParked(pool);
        deepStrictEqual(sorted(await rowsOf(pool, `"${schema}"."${table}"`)), sorted(rows));
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
        await ensureSchema(pool, unit);
        await finishSchema(pool, unit);
        await log.appendAll(events);
        await deliverTwice(() => new ViewRunner(unit, log, pool, { advance: () => undefined }), events.length);
        await nothingParked(pool);
        const found = await pool.query<{ key: string; doc: Row }>(
          `SELECT key, doc FROM ${tableOf(unit.schema, view)} WHERE doc IS NOT NULL`,
        );
        deepStrictEqual(Object.fromEntries(found.rows.map(({ key, doc }) => [key, doc])), rows);
      },
    }),
  };
}

export async function freshLog(pool: pg.Pool, schema: string): Promise<SpecLog> {
  await pool.query('TRUNCATE log');
  await dropSchema(pool, schema);
  return new SpecLog(pool);
}

export async function nothingParked(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query('SELECT view, key, type, error FROM projection_parked');
  deepStrictEqual(rows, [], 'an event could not be taken');
}

export async function rowsOf(pool: pg.Pool, table: string): Promise<readonly object[]> {
  const { rows } = await pool.query<object>(`SELECT * FROM ${table}`);
  return rows;
}

/** Rows of tables have no order, nor have their columns. */
export const sorted = (rows: readonly object[]): readonly string[] =>
  rows.map((row) => JSON.stringify(Object.entries(row).sort(([left], [right]) => (left < right ? -1 : 1)))).sort();
