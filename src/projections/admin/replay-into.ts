import type pg from 'pg';
import { inTransaction } from '../../persistence/transaction.ts';
import type { Projection } from '../authoring/define-projection.ts';
import type { View } from '../authoring/define-view.ts';
import type { ReplayOptions } from './replay.ts';
import { ensureSetTables } from '../sets/set-tables.ts';
import { SetRunner } from '../sets/set-runner.ts';
import { teamUnit, type ViewUnit } from '../views/unit.ts';
import { fillTo } from '../views/view-fill.ts';
import { replaySchemaOf } from '../engine/schema-names.ts';
import { isSetProjection } from '../authoring/define-projection.ts';
import { dropSchema } from '../engine/schemas.ts';
import { ensureViewTables, finishViewTables } from '../views/view-tables.ts';

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
  teams: readonly (Projection | View)[],
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
      if (isSetProjection(team)) parked += await fillSets(team, beside, n, options);
      else await fillViews(teamUnit(team), beside, n, options);
      tables[team.name] = await moveTables(db, beside, schema, team.name);
      await dropSchema(db, beside);
    }
    await db.query('DELETE FROM projection WHERE schema = $1', [schema]);
    return { tables, parked };
  } catch (cause) {
    for (const unfinished of [beside, schema]) await dropSchema(db, unfinished);
    throw cause;
  }
}

async function fillViews(unit: ViewUnit, schema: string, n: number, { log, db, signal, progress }: ReplayOptions): Promise<void> {
  await ensureViewTables(db, unit, schema);
  await fillTo({ unit, log, db, schema, signal, progress: (at) => progress(at + 1, n + 1) }, n);
  if (signal.aborted) throw new Error('interrupted');
  await finishViewTables(db, unit, schema);
}

async function fillSets(projection: Projection, schema: string, n: number, { log, db, signal, progress }: ReplayOptions): Promise<number> {
  await ensureSetTables(db, projection, schema);
  const runner = new SetRunner(projection, log, db, schema);
  await runner.begin();
  while (!signal.aborted && runner.position < n && (await runner.applyBatch(n)) > 0) progress(runner.position + 1, n + 1);
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
    for (const { tablename } of tables) await client.query(`ALTER TABLE "${from}"."${tablename}" SET SCHEMA "${to}"`);
    return tables.map(({ tablename }) => tablename);
  });
}
