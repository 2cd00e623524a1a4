import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { isTransientDatabaseError } from './transient-database-error.ts';
import { StartRefused } from '../kernel/start-refused.ts';
import { reasonOf } from '../kernel/system-error.ts';

/** The oldest Postgres that everything was run on (docs/operations.md, Tried on). */
export const LEAST_POSTGRES = 15;

/** Machines that start together: the database may be a moment behind. */
const PATIENCE_MS = 10_000;
const AGAIN_MS = 250;

interface Facts {
  readonly version: string;
  readonly number: number;
  readonly encoding: string;
  readonly standby: boolean;
  readonly mayMakeSchemas: boolean;
  readonly mayMakeTables: boolean;
  readonly role: string;
  readonly name: string;
}

const LOOK = `
  SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS number,
         current_setting('server_encoding') AS encoding, pg_is_in_recovery() AS standby,
         has_database_privilege(current_database(), 'CREATE') AS "mayMakeSchemas",
         coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS "mayMakeTables",
         current_user AS role, current_database() AS name`;

/** Asked before anything is begun: a Postgres of somebody else's making may be away, too old, or not ours to write. */
export async function refuseUnfitDatabase(url: string, patienceMs = PATIENCE_MS): Promise<void> {
  const problem = problemOf(await patiently(url, performance.now() + patienceMs));
  if (problem !== undefined) throw new StartRefused(`the database of DATABASE_URL cannot be used: ${problem}`);
}

async function patiently(url: string, deadline: number): Promise<Facts | undefined> {
  for (;;)
    try {
      return await look(url);
    } catch (refusal) {
      const mayPass = refusal instanceof StartRefused && isTransientDatabaseError(refusal.cause);
      if (!mayPass || performance.now() + AGAIN_MS > deadline) throw refusal;
      await sleep(AGAIN_MS);
    }
}

async function look(url: string): Promise<Facts | undefined> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: PATIENCE_MS, query_timeout: PATIENCE_MS });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.query<Facts>(LOOK)).rows[0];
  } catch (cause) {
    const { host, port } = client;
    throw new StartRefused(`the database of DATABASE_URL (${host}, port ${String(port)}) does not let us in: ${reasonOf(cause)}`, {
      cause,
    });
  } finally {
    await client.end().catch(() => undefined);
  }
}

function problemOf(facts: Facts | undefined): string | undefined {
  if (facts === undefined) return 'it did not say what it is';
  const { version, number, encoding, standby, mayMakeSchemas, mayMakeTables, role, name } = facts;
  if (number < LEAST_POSTGRES * 10_000) return `it is a Postgres ${version}, and ${String(LEAST_POSTGRES)} or later is needed`;
  if (encoding !== 'UTF8') return `its encoding is ${encoding}: make one with ENCODING 'UTF8'`;
  if (standby) return 'it is a standby, which takes no writes';
  if (!mayMakeSchemas) return `${role} may not make schemas in it: GRANT CREATE ON DATABASE "${name}" TO "${role}"`;
  if (!mayMakeTables) return `${role} may not make tables in it: GRANT CREATE ON SCHEMA public TO "${role}"`;
  return undefined;
}
