import { readInstant } from '../../kernel/instants.ts';
import type { Config } from '../../config.ts';
import { type ReplayedTables, replayInto } from '../../projections/admin/replay-into.ts';
import type { Parts } from '../../app/parts.ts';
import { StartRefused } from '../../kernel/start-refused.ts';
import { loadTeams } from '../../app/teams/teams.ts';
import { type CliOutput, WrongUse } from '../command.ts';
import { Progress } from '../progress.ts';

export interface Wanted {
  /** ISO 8601, in UTC. */
  readonly until: string;
  readonly schema: string;
}

const SCHEMA = /^[a-z][a-z0-9_]{0,50}$/;
/** What Postgres and the read models themselves live in. */
const TAKEN = /^(pg_|core|p_|public$|information_schema$)|_(next|old|replay)$/;

export function readWanted(until: string | undefined, schema: string | undefined): Wanted | null {
  if (until === undefined && schema === undefined) return null;
  if (until === undefined || schema === undefined) throw new WrongUse('--until and --into belong together');
  const read = readInstant(until);
  if (read.kind === 'invalid') throw new WrongUse(`--until: ${read.reason}`);
  if (read.at > Date.now()) throw new WrongUse('--until: that is in the future');
  if (!SCHEMA.test(schema)) throw new WrongUse('--into: a name is lower-case letters, digits and _, at most 51, and begins with a letter');
  if (TAKEN.test(schema)) throw new WrongUse(`--into: ${schema} is a name that the service keeps for itself; take another`);
  return { until: read.utc, schema };
}

/** Leaves the read models as they were at an instant, those of teams included, for SQL. */
export async function intoSchema(
  parts: Parts,
  config: Config,
  { until, schema }: Wanted,
  output: CliOutput,
  signal: AbortSignal,
): Promise<number> {
  const n = await parts.log.at(until);
  if (n < 0) throw new StartRefused(`nothing was recorded yet at ${until}`);
  const teams = (await loadTeams(config)).flatMap(({ projections }) => projections);
  const progress = new Progress(`replay into ${schema}`);
  const report = (done: number, total: number): void => {
    progress.report(done, total);
  };
  let left: ReplayedTables;
  try {
    left = await replayInto(parts.unit, teams, schema, n, { log: parts.log, db: parts.viewPool, signal, progress: report });
  } catch (error) {
    if (!signal.aborted) throw error;
    output.say('Interrupted: nothing is left behind.');
    return 1;
  } finally {
    progress.end();
  }
  if (left.parked > 0)
    output.say(`${String(left.parked)} events could not be taken by projections of teams; what belongs to them is missing.`);
  const tables = Object.values(left.tables).flat();
  output.result(
    { schema, until, n, tables, projections: left.tables, parked: left.parked },
    `The schema ${schema} holds the read models as they were at ${until}, after event ${String(n)}: ${tables.join(', ')}.\nDROP SCHEMA "${schema}" CASCADE takes it away.`,
  );
  return 0;
}
