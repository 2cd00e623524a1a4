import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { startThrowawayCluster, type ThrowawayCluster } from '../../operations/embedded-postgres/throwaway-cluster.ts';
import { until } from '../../../test/support/until.ts';
import { refuseUnfitDatabase } from './outside-database.ts';
import { openPool } from './pool.ts';

let database: TestDatabase;
let reader: ThrowawayCluster;
beforeAll(async () => {
  database = await createTestDatabase();
  reader = await startThrowawayCluster();
  const { username, password, pathname } = new URL(database.url);
  const admin = new pg.Client({ connectionString: `${reader.url}/postgres` });
  await admin.connect();
  const role = admin.escapeIdentifier(decodeURIComponent(username));
  const literal = admin.escapeLiteral(decodeURIComponent(password));
  await admin
    .query(`CREATE ROLE ${role} SUPERUSER LOGIN PASSWORD ${literal}`)
    .catch(() => admin.query(`ALTER ROLE ${role} PASSWORD ${literal}`));
  await admin.query(`CREATE DATABASE ${admin.escapeIdentifier(pathname.slice(1))}`);
  await admin.query('ALTER SYSTEM SET default_transaction_read_only = on');
  await admin.query('SELECT pg_reload_conf()');
  await admin.end();
});
afterAll(async () => {
  await reader.stop();
  await database.drop();
});

it('uses the host that takes writes, whichever stands first, also when one does not answer', async () => {
  const { username, password, host, pathname } = new URL(database.url);
  for (const hosts of [`127.0.0.1:1,${host}`, `${new URL(reader.url).host},127.0.0.1:1,${host}`]) {
    const url = `postgres://${username}:${password}@${hosts}${pathname}?target_session_attrs=read-write`;
    await refuseUnfitDatabase(url);
    const pool = openPool(url, { name: 'several', max: 2 });
    try {
      await until(
        () =>
          pool.query('CREATE TABLE IF NOT EXISTS several_hosts ()').then(
            () => true,
            () => false,
          ),
        10_000,
        'that a write goes through',
      );
    } finally {
      await pool.end();
    }
  }
  expect((await database.pool.query(`SELECT to_regclass('several_hosts') IS NOT NULL AS there`)).rows).toEqual([{ there: true }]);
});
