import type pg from 'pg';
import type { Batch, RowName } from './batch.ts';
import type { View } from '../authoring/define-view.ts';
import { UNREADABLE } from './fold.ts';
import type { Trouble } from './row.ts';
import { tableOf } from './view-tables.ts';

/** What waits for an operator, written with the rows that it concerns. */
export async function writeParked(db: pg.PoolClient, schema: string, batch: Batch): Promise<void> {
  const freed = batch.freed.filter(({ view, key }) => !batch.troubles.some((trouble) => trouble.view === view.name && trouble.key === key));
  for (const { view, key } of freed) {
    await db.query('DELETE FROM projection_parked WHERE schema = $1 AND view = $2 AND key = $3', [schema, view.name, key]);
  }
  for (const { view, key } of batch.gone) await db.query(`DELETE FROM ${tableOf(schema, view)} WHERE key = $1`, [key]);
  for (const trouble of batch.troubles) await park(db, schema, trouble);
}

export async function park(db: pg.Pool | pg.PoolClient, schema: string, trouble: Trouble): Promise<void> {
  const { view, key, scope, n, eventId, type, error } = trouble;
  await db.query(
    `INSERT INTO public.projection_parked AS p (schema, view, key, scope, n, event_id, type, error) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
     ON CONFLICT (schema, view, key) DO UPDATE SET n = excluded.n, event_id = excluded.event_id, type = excluded.type,
       error = excluded.error, attempts = p.attempts + 1, retry = false`,
    [schema, view, key, scope, n, eventId, type, error],
  );
}

/** What was in the way of everything is so no longer. */
export async function forgetUnreadable(db: pg.Pool, schema: string): Promise<void> {
  await db.query('DELETE FROM projection_parked WHERE schema = $1 AND starts_with(key, $2)', [schema, UNREADABLE]);
}

export interface RetryWanted extends RowName {
  readonly scope: string;
}

/** The rows that an operator asked to fold again. */
export async function retriesWanted(db: pg.Pool, schema: string, views: readonly View[]): Promise<readonly RetryWanted[]> {
  const { rows } = await db.query<{ view: string; key: string; scope: string }>({
    name: 'projection_retries',
    text: 'SELECT view, key, scope FROM projection_parked WHERE schema = $1 AND retry',
    values: [schema],
  });
  return rows.flatMap(({ view: name, key, scope }) => {
    const view = views.find((candidate) => candidate.name === name);
    return view === undefined ? [] : [{ view, key, scope }];
  });
}
