import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Config } from '../../platform/config/config.ts';
import { reasonOf } from '../../kernel/system-error.ts';
import { DatabaseClient } from '../../platform/postgres/database-client.ts';
import { identityOf, isSameDatabase, replicaName } from '../../platform/postgres/read-replicas/read-replica.ts';
import { type Diagnosis, fail, ok, warn } from './finding.ts';

interface Facts {
  readonly standby: boolean;
  readonly replayed: number | null;
  readonly feedback: string;
}

const ATTEMPT_MS = 5_000;
/** Longer behind the primary, and the service leaves it out. */
const LATE_MS = 1_000;
const POLL_MS = 20;

const FACTS = `SELECT pg_is_in_recovery() AS standby, (pg_last_wal_replay_lsn() - '0/0')::float8 AS replayed,
  current_setting('hot_standby_feedback') AS feedback`;

/** Whether each server of `READ_URL` can answer reads. Without one the primary does, so that little is worse than a warning. */
export async function examineReplicas({ databaseUrl, readUrls }: Config): Promise<readonly Diagnosis[]> {
  if (databaseUrl === undefined || readUrls.length === 0) return [];
  return connected(databaseUrl, async (primary) => {
    const findings: Diagnosis[] = [];
    for (const url of readUrls) findings.push(await examineReplica(url, primary));
    return findings;
  });
}

async function examineReplica(url: string, primary: pg.Client): Promise<Diagnosis> {
  const name = `read replica ${replicaName(url)}`;
  try {
    return await connected(url, async (replica) => {
      if (!isSameDatabase(await identityOf(replica), await identityOf(primary)))
        return fail(name, 'is a database of another installation', 'set READ_URL to streaming standbys of DATABASE_URL');
      const { standby, feedback } = await factsOf(replica);
      if (!standby)
        return warn(name, 'is no standby: it is left out', 'remove it from READ_URL, or make it a standby of the primary again');
      if (!(await catchesUp(replica, primary)))
        return warn(
          name,
          `is more than ${String(LATE_MS / 1_000)} s behind the primary: it is left out`,
          'see pg_stat_replication of the primary and pg_stat_wal_receiver of the standby: is it paused, cut off, or too slow?',
        );
      return feedback === 'on'
        ? ok(name, 'replays what the primary writes')
        : warn(name, "hot_standby_feedback is off: the primary's vacuum may cancel its reads", 'set hot_standby_feedback = on there');
    });
  } catch (error) {
    return warn(
      name,
      reasonOf(error),
      'check READ_URL, and that this standby runs and accepts the connection; until then the primary answers',
    );
  }
}

async function factsOf(replica: pg.Client): Promise<Facts> {
  const { rows } = await replica.query<Facts>(FACTS);
  return rows[0] ?? { standby: false, replayed: null, feedback: '' };
}

/** Up to where the primary is now. */
async function catchesUp(replica: pg.Client, primary: pg.Client): Promise<boolean> {
  const { rows } = await primary.query<{ lsn: number }>(`SELECT (pg_current_wal_flush_lsn() - '0/0')::float8 AS lsn`);
  const deadline = performance.now() + LATE_MS;
  for (;;) {
    const { replayed } = await factsOf(replica);
    if (replayed !== null && replayed >= (rows[0]?.lsn ?? 0)) return true;
    if (performance.now() > deadline) return false;
    await sleep(POLL_MS);
  }
}

async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new DatabaseClient({ connectionString: url, connectionTimeoutMillis: ATTEMPT_MS, query_timeout: ATTEMPT_MS });
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}
