import type pg from 'pg';
import { StartRefused } from '../../kernel/start-refused.ts';
import { ADVISORY_LOCKS } from '../../platform/postgres/advisory-locks.ts';
import { type CliCommand, type CliOutput, WrongUse } from '../../platform/cli/command.ts';
import { interruptible } from '../../platform/cli/terminal.ts';
import { compare, withReplayPool } from './compare-replay.ts';
import { withResources } from '../../app/with-parts.ts';
import { readInstant } from '../../kernel/instants.ts';
import type { Config } from '../../platform/config/config.ts';
import { type ReplayedTables, replayInto } from '../../platform/read-models/admin/replay-into.ts';
import type { Resources } from '../../app/resources.ts';
import { withReplayTargets } from '../../app/companions.ts';
import { Progress } from '../../platform/cli/progress.ts';

interface ReplayTarget {
  /** ISO 8601, in UTC. */
  readonly until: string;
  readonly schema: string;
}

const SCHEMA = /^[a-z][a-z0-9_]{0,50}$/;
/** Schemas of Postgres and of the read models. */
const RESERVED = /^(pg_|core|p_|public$|information_schema$)|_(next|old|replay)$/;

function readTarget(until: string | undefined, schema: string | undefined): ReplayTarget | null {
  if (until === undefined && schema === undefined) return null;
  if (until === undefined || schema === undefined) throw new WrongUse('--until and --into must be used together');
  const read = readInstant(until);
  if (read.kind === 'invalid') throw new WrongUse(`--until: ${read.reason}`);
  if (read.at > Date.now()) throw new WrongUse('--until: must not be in the future');
  if (!SCHEMA.test(schema)) throw new WrongUse('--into: must be at most 51 lower-case letters, digits and _, and start with a letter');
  if (RESERVED.test(schema)) throw new WrongUse(`--into: ${schema} is reserved for the service; choose another name`);
  return { until: read.utc, schema };
}

/** Builds the read models as of an instant, including those of teams, in a schema for SQL queries. */
async function intoSchema(
  resources: Resources,
  config: Config,
  { until, schema }: ReplayTarget,
  output: CliOutput,
  signal: AbortSignal,
): Promise<number> {
  const n = await resources.log.at(until);
  if (n < 0) throw new StartRefused(`the log has no events before ${until}`);
  const progress = new Progress(`replay into ${schema}`);
  const report = (done: number, total: number): void => {
    progress.report(done, total);
  };
  let replayed: ReplayedTables;
  try {
    const { unit, log } = resources;
    replayed = await withReplayTargets(resources, config, (targetsIn) =>
      withReplayPool(resources, async (db) => replayInto(unit, await targetsIn(db), schema, n, { log, db, signal, progress: report })),
    );
  } catch (error) {
    if (!signal.aborted) throw error;
    output.say('Interrupted: the schema was dropped.');
    return 1;
  } finally {
    progress.end();
  }
  if (replayed.parked > 0) output.say(`${String(replayed.parked)} events were parked by projections of teams; their rows are missing.`);
  const tables = Object.values(replayed.tables).flat();
  output.result(
    { schema, until, n, tables, projections: replayed.tables, parked: replayed.parked },
    `The schema ${schema} holds the read models as they were at ${until}, after event ${String(n)}: ${tables.join(', ')}.\nDROP SCHEMA "${schema}" CASCADE removes it.`,
  );
  return 0;
}

export const command: CliCommand = {
  about:
    'Rebuild the read models from the log, beside the live ones, and compare row by row; exit status 1 and the names of differing rows. Changes nothing',
  options: {
    projection: { type: 'string', value: 'NAME', about: 'only this projection' },
    until: { type: 'string', value: 'TIME', about: 'ISO 8601, with --into: instead of comparing, keep the read models as of this time' },
    into: { type: 'string', value: 'SCHEMA', about: 'a new database schema for them, to be queried with SQL' },
  },
  run: ({ input, output, config: read }) => {
    const target = readTarget(input.text('until'), input.text('into'));
    const only = input.text('projection');
    if (target !== null && only !== undefined) throw new WrongUse('--projection: not available with --into, which keeps all projections');
    const config = read();
    return withResources(config, output, (resources) =>
      interruptible((signal) =>
        withReplayLock(resources.pool, () =>
          target === null ? compare(resources, config, output, signal, only) : intoSchema(resources, config, target, output, signal),
        ),
      ),
    );
  },
};

/** One replay at a time: two would drop each other's tables. The lock ends with its connection. */
async function withReplayLock<Result>(db: pg.Pool, work: () => Promise<Result>): Promise<Result> {
  const client = await db.connect();
  try {
    const { rows } = await client.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1) AS locked', [ADVISORY_LOCKS.replay]);
    if (rows[0]?.locked !== true) throw new StartRefused('another replay is running on this database');
    return await work();
  } finally {
    client.release(true);
  }
}
