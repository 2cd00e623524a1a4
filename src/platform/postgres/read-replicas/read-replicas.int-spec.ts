import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type pg from 'pg';
import { PostgresServer } from '../../../../test/failover/postgres-server.ts';
import { isRelease } from '../../../../test/support/thorough.ts';
import { until } from '../../../../test/support/until.ts';
import { openPool } from '../pool.ts';
import { DIVERGED, type ReadReplica } from './read-replica.ts';
import { ReadReplicas } from './read-replicas.ts';
import { routedPool } from './routed-pool.ts';

jest.setTimeout(300_000);

/** What the read index is made of. */
const TABLES = [
  'CREATE TABLE log (n bigint PRIMARY KEY, id uuid NOT NULL)',
  'CREATE TABLE projection (schema text, state text, n bigint)',
  `INSERT INTO projection VALUES ('views', 'live', -1)`,
];

let folder: string;
let primary: PostgresServer;
let replica: PostgresServer;
let n = 0;

const append = (server: PostgresServer, events = 1): Promise<unknown> => {
  const values = Array.from({ length: events }, () => `(${String(n++)}, '${randomUUID()}')`);
  return server.run(`INSERT INTO log VALUES ${values.join(', ')}`);
};

interface World {
  readonly pool: pg.Pool;
  readonly routed: pg.Pool;
  readonly replicas: ReadReplicas;
  readonly repeated: () => number;
  close(): Promise<void>;
}

async function openWorld(of: PostgresServer, ...urls: readonly string[]): Promise<World> {
  const pool = openPool(of.url('postgres'), { name: 'spec' });
  let repeated = 0;
  const ignore = (): void => undefined;
  const replicas = await ReadReplicas.open({
    ...{ urls, primary: pool, schema: 'views', onRead: ignore, onPosition: ignore, onLeftOut: ignore, onUsedAgain: ignore },
    onRepeated: () => repeated++,
  });
  return {
    ...{ pool, replicas, routed: routedPool(pool), repeated: () => repeated },
    close: async () => {
      await replicas.close();
      await pool.end();
    },
  };
}

const used = ({ replicas }: World): Promise<void> =>
  until(() => Promise.resolve(replicas.all.every(({ isUsed }) => isUsed)), 10_000, 'every replica used');
const reasonOf = ({ replicas }: World): string | undefined => replicas.all[0]?.outage?.reason;
const isStandby = async (pool: pg.Pool): Promise<boolean> =>
  (await pool.query<{ yes: boolean }>('SELECT pg_is_in_recovery() AS yes')).rows[0]?.yes === true;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'watchledger-read-replicas-'));
  primary = await PostgresServer.primary(join(folder, 'primary'));
  await primary.run(...TABLES);
  replica = await PostgresServer.standbyOf(primary, join(folder, 'replica'), primary.port);
});
afterAll(async () => {
  for (const server of [replica, primary]) await server.remove();
  rmSync(folder, { recursive: true, force: true });
});

describe('read replicas', () => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld(primary, replica.url('postgres'));
    await used(world);
  });
  afterAll(() => world.close());

  it('answer only once they have replayed what the primary had when the read began', async () => {
    const { replicas, routed } = world;
    for (let round = 0; round < 5; round++) {
      await replica.run('SELECT pg_wal_replay_pause()');
      await append(primary);
      const reading = replicas.choose(5_000).then((chosen) => chosen?.pool.query<{ n: string }>('SELECT max(n) AS n FROM log'));
      await new Promise((resolve) => setTimeout(resolve, 100));
      await replica.run('SELECT pg_wal_replay_resume()');
      expect(Number((await reading)?.rows[0]?.n)).toBe(n - 1);
    }
    expect(await replicas.read(() => isStandby(routed))).toBe(true);
  });

  it('are waited for once while they are late', async () => {
    await used(world);
    await replica.run('SELECT pg_wal_replay_pause()');
    await append(primary);
    const choices: (ReadReplica | null)[] = [];
    for (let reads = 0; reads < 20; reads++) choices.push(await world.replicas.choose());
    expect(choices.every((choice) => choice === null)).toBe(true);
    await replica.run('SELECT pg_wal_replay_resume()');
    await used(world);
    await until(async () => (await world.replicas.choose()) !== null, 10_000, 'the replica chosen again');
  });

  it('leave statements that they refuse to the primary', async () => {
    await used(world);
    const before = world.repeated();
    await world.replicas.read(() => world.routed.query('INSERT INTO log VALUES ($1, $2)', [n++, randomUUID()]));
    expect(world.repeated()).toBe(before + 1);
    await expect(world.replicas.read(() => world.routed.query('SELECT FROM unknown'))).rejects.toThrow('does not exist');
  });

  it('do not answer work that continues after the read', async () => {
    await used(world);
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    let later = Promise.resolve(true);
    const during = await world.replicas.read(() => {
      later = ended.then(() => isStandby(world.routed));
      return isStandby(world.routed);
    });
    end();
    expect([during, await later]).toEqual([true, false]);
  });

  if (isRelease) {
    it('answer statements under way on the primary when they are suspended', async () => {
      await used(world);
      const reading = world.replicas.read(async () => {
        await isStandby(world.routed);
        replica.suspend();
        return isStandby(world.routed);
      });
      expect(await reading).toBe(false);
      expect(reasonOf(world)).toBeDefined();
      replica.resume();
      await used(world);
    });

    it('are used again after they have restarted', async () => {
      await replica.kill();
      await until(() => Promise.resolve(reasonOf(world) !== undefined), 10_000, 'the replica left out');
      await append(primary);
      await replica.start();
      await used(world);
      const { rows } = await world.replicas.read(() => world.routed.query<{ n: string }>('SELECT max(n) AS n FROM log'));
      expect(Number(rows[0]?.n)).toBe(n - 1);
    });

    it('are not reported as left out when the service stops while one is waited for', async () => {
      await replica.run('SELECT pg_wal_replay_pause()');
      await append(primary);
      const stopping = await openWorld(primary, replica.url('postgres'));
      await until(() => Promise.resolve((stopping.replicas.all[0]?.end.n ?? -1) >= 0), 10_000, 'the replica asked how far it is');
      await stopping.close();
      expect(reasonOf(stopping)).toBe('not reached yet');
      await replica.run('SELECT pg_wal_replay_resume()');
    });
  }
});

if (isRelease) {
  describe('a replica of a former primary', () => {
    it('is left out, although it is ahead of the new one', async () => {
      const promoted = await PostgresServer.standbyOf(primary, join(folder, 'promoted'), primary.port);
      await promoted.promote();
      // Not in the new primary, and far beyond it in the write-ahead log.
      await append(primary, 50_000);
      const world = await openWorld(promoted, replica.url('postgres'));
      try {
        await until(() => Promise.resolve(reasonOf(world) === DIVERGED), 10_000, 'the difference found');
        // Another event at a position that both have.
        n -= 50_000;
        await append(promoted);
        expect(await world.replicas.choose()).toBeNull();
      } finally {
        await world.close();
        await promoted.remove();
      }
    });
  });
}
