import { replaySchemaOf, schemaOf } from '../engine/schema-names.ts';
import type pg from 'pg';
import { inTransaction } from '../../postgres/transaction.ts';
import type { Log } from '../../log/log.ts';
import { readSchemaState } from '../engine/checkpoint.ts';
import { type RowDifference, differencesOf, differencesOfTables } from './compare-schemas.ts';
import type { SetTarget } from '../sets/set-lifecycle.ts';
import type { ViewUnit } from '../views/unit.ts';
import type { ViewCode } from '../views/view-work.ts';
import { fillTo } from '../views/view-fill.ts';
import { dropSchema } from '../engine/schemas.ts';
import { ensureViewTables } from '../views/view-tables.ts';

export interface ReplayOptions {
  readonly log: Log;
  /** Without a statement timeout. */
  readonly db: pg.Pool;
  readonly signal: AbortSignal;
  /** In events. */
  readonly progress: (done: number, total: number) => void;
}

/** Folds every view of the unit again beside its tables, compares the two while the service runs, and drops the copy. */
export async function replayViews(
  unit: ViewUnit,
  { log, db, signal, progress }: ReplayOptions,
  code?: ViewCode,
): Promise<readonly RowDifference[]> {
  const schema = replaySchemaOf(unit.schema);
  try {
    await dropSchema(db, schema);
    await ensureViewTables(db, unit, schema, code?.own);
    const until = await positionOf(db, unit.schema);
    if (code === undefined) await fillTo({ unit, log, db, schema, signal, progress: (n) => progress(n + 1, until + 1) }, until);
    else await code.work.fill({ schema, until, isThrottled: false }, signal);
    if (signal.aborted) return [];
    return await differencesOf(db, unit, unit.schema, schema, until);
  } finally {
    await dropSchema(db, schema);
  }
}

/** The same for a set projection, which does not advance during the comparison: its rows do not say when they changed. */
export async function replayProjection(
  { name, version, work, ensureTables }: SetTarget,
  { db, signal, progress }: ReplayOptions,
): Promise<readonly RowDifference[]> {
  const live = schemaOf({ name, version });
  const schema = replaySchemaOf(live);
  try {
    await dropSchema(db, schema);
    await ensureTables(schema);
    const runner = work.openRunner(schema, 'full');
    await runner.begin();
    const applyUntil = async (until: number): Promise<void> => {
      while (!signal.aborted && runner.checkpoint.n < until && (await runner.applyBatch(until, signal)) > 0)
        progress(runner.checkpoint.n + 1, until + 1);
    };
    await applyUntil(await positionOf(db, live));
    return await inTransaction(db, async (client) => {
      await client.query('SET LOCAL idle_in_transaction_session_timeout = 0');
      const { rows } = await client.query<{ n: string }>('SELECT n FROM projection WHERE schema = $1 FOR SHARE', [live]);
      await applyUntil(Number(rows[0]?.n));
      return signal.aborted ? [] : differencesOfTables(client, name, live, schema);
    });
  } finally {
    await dropSchema(db, schema);
  }
}

async function positionOf(db: pg.Pool, schema: string): Promise<number> {
  const state = await readSchemaState(db, schema);
  if (state === null) throw new Error(`${schema} does not exist: it was never filled`);
  return state.checkpoint.n;
}
