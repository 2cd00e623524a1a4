import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { shardsOf } from '../../platform/observations/shards.ts';
import type { Lease } from '../../platform/postgres/leases.ts';
import { PostgresLeases } from '../../platform/postgres/postgres-leases.ts';
import { LocalWake } from '../../platform/postgres/wake.ts';

let database: TestDatabase;
let opened: PostgresLeases[] = [];
beforeAll(async () => {
  database = await createTestDatabase();
});
afterEach(async () => {
  await Promise.all(opened.map((leases) => leases.close()));
  opened = [];
  await database.pool.query('DELETE FROM lease');
});
afterAll(() => database.drop());

function checker(): PostgresLeases {
  const leases = new PostgresLeases(database.url, new LocalWake());
  opened.push(leases);
  return leases;
}

/** As the version before the 64 shards named them. */
const formerShards = (location: string): readonly string[] =>
  Array.from({ length: 16 }, (_, shard) => `checker ${location} ${String(shard)}`);

async function acquired(leases: PostgresLeases, names: readonly string[]): Promise<readonly Lease[]> {
  const all = await Promise.all(names.map((name) => leases.acquire(name)));
  return all.filter((lease) => lease !== null);
}

it('leaves a location to a live checker of the former version, until its last lease there is released', async () => {
  const [former, current] = [checker(), checker()];
  const [one, other] = await acquired(former, ['checker eu 3', 'checker eu 7']);
  expect(await acquired(current, shardsOf('eu'))).toEqual([]);
  expect(await acquired(current, shardsOf('us'))).toHaveLength(64);
  await one?.release();
  expect(await acquired(current, shardsOf('eu'))).toEqual([]);
  await other?.release();
  expect(await acquired(current, shardsOf('eu'))).toHaveLength(64);
});

it('takes over from a checker of the former version that died', async () => {
  await database.pool.query(
    `INSERT INTO lease (name, holder, epoch, heartbeat, pid, backend_start) SELECT name, 'dead', 1, now(), 99999999, now() FROM unnest($1::text[]) AS name`,
    [formerShards('eu')],
  );
  expect(await acquired(checker(), shardsOf('eu'))).toHaveLength(64);
});

it('gives the former version, on the way back, nothing of a location that is still held', async () => {
  const [former, current] = [checker(), checker()];
  const [held] = await acquired(current, shardsOf('eu').slice(20, 21));
  expect(await acquired(former, formerShards('eu'))).toEqual([]);
  await held?.release();
  expect(await acquired(former, formerShards('eu'))).toHaveLength(16);
});

it('never holds a location in both numberings, however they compete for it', async () => {
  const checkers = [checker(), checker(), checker(), checker()];
  for (let round = 0; round < 10; round++) {
    const held = await Promise.all(
      checkers.map((leases, index) => acquired(leases, index % 2 === 0 ? formerShards('eu') : shardsOf('eu').slice(0, 16))),
    );
    const names = held.flat().map(({ name }) => name);
    expect(names).toHaveLength(16);
    expect(new Set(names.map((name) => name.includes('/'))).size).toBe(1);
    await Promise.all(held.flat().map((lease) => lease.release()));
  }
});
