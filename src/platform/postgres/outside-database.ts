import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { DatabaseClient } from './database-client.ts';
import { outageCauseOf } from './outage-cause.ts';
import { isTransientDatabaseError } from './transient-database-error.ts';
import { StartRefused } from '../../kernel/start-refused.ts';
import { codeOf, reasonOf } from '../../kernel/system-error.ts';

/** The oldest Postgres that the tests run on (docs/operations.md, Tested on). */
export const MIN_POSTGRES = 15;

/** Machines that start together: the database may not listen yet. */
const UNREACHABLE_TIMEOUT_MS = 10_000;
/** A server that is starting, recovering or slow to answer. */
const STARTING_TIMEOUT_MS = 300_000;
const ATTEMPT_TIMEOUT_MS = 10_000;
const RETRY_MS = 250;

export interface StartTimeouts {
  readonly unreachableMs: number;
  readonly startingMs: number;
}

interface Facts {
  readonly version: string;
  readonly number: number;
  readonly encoding: string;
  readonly standby: boolean;
  readonly mayCreateSchemas: boolean;
  readonly mayCreateTables: boolean;
  readonly role: string;
  readonly name: string;
}

const FACTS = `
  SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS number,
         current_setting('server_encoding') AS encoding, pg_is_in_recovery() AS standby,
         has_database_privilege(current_database(), 'CREATE') AS "mayCreateSchemas",
         coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS "mayCreateTables",
         current_user AS role, current_database() AS name`;

/** Checks an operator's Postgres before anything else starts: it may be unreachable, too old, or lack privileges. */
export async function refuseUnfitDatabase(
  url: string,
  timeouts: StartTimeouts = { unreachableMs: UNREACHABLE_TIMEOUT_MS, startingMs: STARTING_TIMEOUT_MS },
): Promise<void> {
  const problem = problemOf(await factsWithRetry(url, timeouts));
  if (problem !== undefined) throw new StartRefused(`the database of DATABASE_URL cannot be used: ${problem}`);
  if (await sharesSessions(url)) {
    throw new StartRefused(
      'the database of DATABASE_URL cannot be used: a pooler hands each transaction to another session. Leases and notifications need sessions of their own: set pool_mode = session for this database',
    );
  }
}

/** Whether a connection changes its session between two statements, because another one has taken it: PgBouncer in transaction or statement mode. */
async function sharesSessions(url: string): Promise<boolean> {
  const open = (): DatabaseClient =>
    new DatabaseClient({ connectionString: url, connectionTimeoutMillis: ATTEMPT_TIMEOUT_MS, query_timeout: ATTEMPT_TIMEOUT_MS });
  const [one, other] = [open(), open()];
  const backend = async (client: pg.Client): Promise<number | undefined> =>
    (await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid;
  try {
    await one.connect();
    const before = await backend(one);
    await other.connect();
    await other.query('BEGIN');
    await backend(other);
    return (await backend(one)) !== before;
  } finally {
    await Promise.all([one, other].map((client) => client.end().catch(() => undefined)));
  }
}

async function factsWithRetry(url: string, { unreachableMs, startingMs }: StartTimeouts): Promise<Facts | undefined> {
  const began = performance.now();
  for (;;)
    try {
      return await factsOf(url);
    } catch (refusal) {
      if (!(refusal instanceof StartRefused) || !mayPass(refusal.cause)) throw refusal;
      const timeoutMs = isStarting(refusal.cause) ? startingMs : unreachableMs;
      if (performance.now() + RETRY_MS > began + timeoutMs) throw refusal;
      await sleep(RETRY_MS);
    }
}

/** A role or a password that the database refuses is a mistake in `DATABASE_URL`. */
const mayPass = (cause: unknown): boolean => isTransientDatabaseError(cause) && outageCauseOf(cause) !== 'login_refused';

/** `cannot_connect_now`, or a server that accepts connections and answers too slowly. */
const isStarting = (cause: unknown): boolean =>
  codeOf(cause) === '57P03' || (cause instanceof Error && /timeout/i.test(cause.message) && codeOf(cause) === undefined);

async function factsOf(url: string): Promise<Facts | undefined> {
  const client = new DatabaseClient({
    connectionString: url,
    connectionTimeoutMillis: ATTEMPT_TIMEOUT_MS,
    query_timeout: ATTEMPT_TIMEOUT_MS,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.query<Facts>(FACTS)).rows[0];
  } catch (cause) {
    const { host, port } = client;
    throw new StartRefused(`the database of DATABASE_URL (${host}, port ${String(port)}) refuses the connection: ${reasonOf(cause)}`, {
      cause,
    });
  } finally {
    await client.end().catch(() => undefined);
  }
}

function problemOf(facts: Facts | undefined): string | undefined {
  if (facts === undefined) return 'it did not answer which version it is';
  const { version, number, encoding, standby, mayCreateSchemas, mayCreateTables, role, name } = facts;
  if (number < MIN_POSTGRES * 10_000) return `it is Postgres ${version}; ${String(MIN_POSTGRES)} or later is required`;
  if (encoding !== 'UTF8') return `its encoding is ${encoding}: create one with ENCODING 'UTF8'`;
  if (standby) return 'it is a read-only standby';
  if (!mayCreateSchemas) return `${role} may not create schemas: GRANT CREATE ON DATABASE "${name}" TO "${role}"`;
  if (!mayCreateTables) return `${role} may not create tables: GRANT CREATE ON SCHEMA public TO "${role}"`;
  return undefined;
}
