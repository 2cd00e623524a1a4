import type pg from 'pg';
import { inTransaction } from '../../persistence/transaction.ts';
import type { Projection } from '../authoring/define-projection.ts';
import type { View } from '../authoring/define-view.ts';
import type { Replay } from './replay.ts';
import { ensureSetSchema } from '../sets/set-schema.ts';
import { SetRunner } from '../sets/set-runner.ts';
import { isProjection } from '../sets/team-projections.ts';
import { dropSchema, ensureSchema, finishSchema } from '../views/unit-schema.ts';
import { teamUnit, type ViewUnit } from '../views/unit.ts';
import { fillTo } from '../views/view-fill.ts';
import { replaySchemaOf } from '../engine/schema-names.ts';

export interface Left {
  /** By the projection that they are of. */
  readonly tables: Readonly<Record<string, readonly string[]>>;
  /** Events that a team's projection could not take, each with what waits behind it. */
  readonly parked: number;
}

/**
 * Leaves every read model, those of teams included, as it was after the event `n`, in one schema that nobody feeds, for SQL. A table of a team whose name is
 * taken gets the name of its projection before its own.
 */
export async function replayInto(
  core: ViewUnit,
  teams: readonly (Projection | View)[],
  schema: string,
  n: number,
  tools: Replay,
): Promise<Left> {
  const { db } = tools;
  const { rowCount } = await db.query('SELECT FROM pg_namespace WHERE nspname = $1', [schema]);
  if (rowCount !== 0) throw new Error(`the schema ${schema} is there already; name another, or drop it`);
  const beside = replaySchemaOf(schema);
  try {
    await dropSchema(db, beside);
    await fillViews(core, schema, n, tools);
    const tables: Record<string, readonly string[]> = { [core.name]: core.views.map(({ name }) => name) };
    let parked = 0;
    for (const team of teams) {
      if (isProjection(team)) parked += await fillSets(team, beside, n, tools);
      else await fillViews(teamUnit(team), beside, n, tools);
      tables[team.name] = await moveTables(db, beside, schema, team.name);
      await dropSchema(db, beside);
    }
    await db.query('DELETE FROM projection WHERE schema = $1', [schema]);
    return { tables, parked };
  } catch (cause) {
    for (const left of [beside, schema]) await dropSchema(db, left);
    throw cause;
  }
}

async function fillViews(unit: ViewUnit, schema: string, n: number, { log, db, signal, progress }: Replay): Promise<void> {
  await ensureSchema(db, unit, schema);
  await fillTo({ unit, log, db, schema, signal, progress: (at) => progress(at + 1, n + 1) }, n);
  if (signal.aborted) throw new Error('interrupted');
  await finishSchema(db, unit, schema);
}

async function fillSets(projection: Projection, schema: string, n: number, { log, db, signal, progress }: Replay): Promise<number> {
  await ensureSetSchema(db, projection, schema);
  const runner = new SetRunner(projection, log, db, schema);
  await runner.begin();
  while (!signal.aborted && runner.position < n && (await runner.stride(n)) > 0) progress(runner.position + 1, n + 1);
  if (signal.aborted) throw new Error('interrupted');
  const { rows } = await db.query<{ parked: string }>('SELECT count(*) AS parked FROM projection_parked WHERE schema = $1', [schema]);
  return Number(rows[0]?.parked);
}

const KINDS: Readonly<Record<string, string>> = { r: 'TABLE', p: 'TABLE', i: 'INDEX', I: 'INDEX', S: 'SEQUENCE' };

/** Answers what the tables are called now. */
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
