import type pg from 'pg';
import { inTransaction } from '../../postgres/transaction.ts';
import type { ReplayOptions } from './replay.ts';
import type { SetTarget } from '../sets/set-lifecycle.ts';
import type { ViewUnit } from '../views/unit.ts';
import type { ViewCode } from '../views/view-work.ts';
import { fillTo } from '../views/view-fill.ts';
import { replaySchemaOf } from '../engine/schema-names.ts';
import { dropSchema, nameIn } from '../engine/schemas.ts';
import { ensureViewTables, finishViewTables } from '../views/view-tables.ts';

/** A projection of a team, and where its code runs. */
export type TeamTarget =
  | { readonly kind: 'set'; readonly set: SetTarget }
  | { readonly kind: 'view'; readonly unit: ViewUnit; readonly code: ViewCode };

export const targetName = (team: TeamTarget): string => (team.kind === 'set' ? team.set.name : team.unit.name);

export interface ReplayedTables {
  /** Names of tables, by projection. */
  readonly tables: Readonly<Record<string, readonly string[]>>;
  /** Events that projections of teams could not apply. */
  readonly parked: number;
}

/**
 * Fills one schema, for SQL, with every read model as it was after the event `n`. A team's table whose name is taken is prefixed with the name of
 * its projection.
 */
export async function replayInto(
  core: ViewUnit,
  teams: readonly TeamTarget[],
  schema: string,
  n: number,
  options: ReplayOptions,
): Promise<ReplayedTables> {
  const { db } = options;
  const { rowCount } = await db.query('SELECT FROM pg_namespace WHERE nspname = $1', [schema]);
  if (rowCount !== 0) throw new Error(`the schema ${schema} exists already; choose another name, or drop it`);
  const beside = replaySchemaOf(schema);
  try {
    await dropSchema(db, beside);
    await fillViews(core, schema, n, options);
    const tables: Record<string, readonly string[]> = { [core.name]: core.views.map(({ name }) => name) };
    let parked = 0;
    for (const team of teams) {
      if (team.kind === 'set') parked += await fillSets(team.set, beside, n, options);
      else await fillViews(team.unit, beside, n, options, team.code);
      const name = targetName(team);
      tables[name] = await moveTables(db, beside, schema, name);
      await dropSchema(db, beside);
    }
    await db.query('DELETE FROM projection WHERE schema = $1', [schema]);
    return { tables, parked };
  } catch (cause) {
    for (const unfinished of [beside, schema]) await dropSchema(db, unfinished);
    throw cause;
  }
}

async function fillViews(unit: ViewUnit, schema: string, n: number, options: ReplayOptions, code?: ViewCode): Promise<void> {
  const { log, db, signal, progress } = options;
  await ensureViewTables(db, unit, schema, code?.own);
  if (code === undefined) await fillTo({ unit, log, db, schema, signal, progress: (at) => progress(at + 1, n + 1) }, n);
  else await code.work.fill({ schema, until: n, isThrottled: false }, signal);
  if (signal.aborted) throw new Error('interrupted');
  await finishViewTables(db, unit, schema);
}

async function fillSets(
  { work, ensureTables }: SetTarget,
  schema: string,
  n: number,
  { db, signal, progress }: ReplayOptions,
): Promise<number> {
  await ensureTables(schema);
  const runner = work.openRunner(schema, 'full');
  await runner.begin();
  while (!signal.aborted && runner.checkpoint.n < n && (await runner.applyBatch(n, signal)) > 0) progress(runner.checkpoint.n + 1, n + 1);
  if (signal.aborted) throw new Error('interrupted');
  const { rows } = await db.query<{ parked: string }>('SELECT count(*) AS parked FROM projection_parked WHERE schema = $1', [schema]);
  return Number(rows[0]?.parked);
}

const KINDS: Readonly<Record<string, string>> = { r: 'TABLE', p: 'TABLE', i: 'INDEX', I: 'INDEX', S: 'SEQUENCE' };

/** Answers the new names of the tables. */
async function moveTables(db: pg.Pool, from: string, to: string, projection: string): Promise<readonly string[]> {
  return inTransaction(db, async (client) => {
    const { rows: taken } = await client.query<{ relname: string; relkind: string }>(
      `SELECT relname, relkind::text FROM pg_class
       WHERE relnamespace = to_regnamespace($1) AND relkind::text = ANY ($3)
         AND relname IN (SELECT relname FROM pg_class WHERE relnamespace = to_regnamespace($2))`,
      [from, to, Object.keys(KINDS)],
    );
    for (const { relname, relkind } of taken) {
      const name = `${projection}_${relname}`.slice(0, 63);
      await client.query(`ALTER ${KINDS[relkind] ?? 'TABLE'} "${from}"."${relname}" RENAME TO "${name}"`);
    }
    const { rows: tables } = await client.query<{ tablename: string }>('SELECT tablename FROM pg_tables WHERE schemaname = $1 ORDER BY 1', [
      from,
    ]);
    for (const { tablename } of tables) await client.query(`ALTER TABLE ${nameIn(from, tablename)} SET SCHEMA "${to}"`);
    return tables.map(({ tablename }) => tablename);
  });
}
