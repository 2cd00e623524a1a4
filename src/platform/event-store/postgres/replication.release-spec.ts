import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { until } from '../../../../test/support/until.ts';
import { startThrowawayCluster, type ThrowawayCluster } from '../../../operations/embedded-postgres/throwaway-cluster.ts';
import { StoreUnavailable } from '../../../kernel/errors.ts';
import type { NewEvent } from '../../../kernel/event.ts';
import { derivedId } from '../../../kernel/ids.ts';
import { migrate } from '../../../app/migration-table.ts';
import { openPool } from '../../postgres/pool.ts';
import { PostgresClaims } from '../../postgres/postgres-claims.ts';
import { LocalWake } from '../../postgres/wake.ts';
import { PostgresEventStore } from './postgres-event-store.ts';

let cluster: ThrowawayCluster;
let admin: pg.Client;
let pool: pg.Pool;
let store: PostgresEventStore;
beforeAll(async () => {
  cluster = await startThrowawayCluster();
  admin = new pg.Client({ connectionString: `${cluster.url}/postgres` });
  await admin.connect();
  await migrate(`${cluster.url}/postgres`);
  pool = openPool(`${cluster.url}/postgres`, { name: 'events', max: 4, statementTimeoutMs: 500 });
  store = new PostgresEventStore(pool, new LocalWake(), 1_500);
});
afterAll(async () => {
  await pool.end();
  await admin.end();
  await cluster.stop();
});

/** No standby of this name exists, so every commit waits. */
async function requireStandby(names: 'away' | ''): Promise<void> {
  await admin.query(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
  await admin.query('SELECT pg_reload_conf()');
}

function event(stream: string): NewEvent {
  const id = derivedId(stream);
  const meta = { correlationId: id, causationId: null, commandId: id, occurredAt: '2026-11-21T12:00:00.000Z' };
  return { id, type: 'T', version: 1, scope: 'system', data: {}, meta: { ...meta, actor: { kind: 'cli', id: 'x' } } };
}

it('acknowledges no append that the synchronous standby has not confirmed, also when a repeat finds its events', async () => {
  const events = [event('s')];
  await requireStandby('away');
  await expect(store.append('s', 'no stream', events)).rejects.toThrow(StoreUnavailable);
  await admin.query(`SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`);
  await until(async () => (await admin.query('SELECT FROM log')).rowCount === 1, 5_000, 'that the append is committed on this server');
  await expect(store.append('s', 'no stream', events)).rejects.toThrow(StoreUnavailable);
  await requireStandby('');
  expect(await store.append('s', 'no stream', events)).toMatchObject({ kind: 'appended', revision: 0 });
  expect((await admin.query('SELECT FROM log')).rowCount).toBe(1);
});

it('claims without waiting for the standby, which the append then does; a claim for another event store waits', async () => {
  const claims = new PostgresClaims(pool, false);
  await requireStandby('away');
  expect(await claims.claimSlot('project', '1', 1, 'p')).toBe('1/1');
  expect(await claims.claim('email', 'a', 'p')).toBe(true);
  expect(await claims.keep('project', '1/1', 'p')).toBe(true);
  await expect(store.append('p', 'no stream', [event('p')])).rejects.toThrow(StoreUnavailable);
  await expect(new PostgresClaims(pool).claimSlot('project', '2', 1, 'q')).rejects.toThrow();
  await requireStandby('');
});
