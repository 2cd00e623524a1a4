import { setTimeout as sleep } from 'node:timers/promises';
import type { PostgresServer } from '../../failover/postgres-server.ts';
import type { FaultWorld } from './fault-world.ts';
import { between } from './random.ts';

const BACK_MS = 120_000;

/** Killed, and started again after a while. */
export const replicaKilled = (world: FaultWorld, random: () => number): Promise<void> =>
  strikeReplica(world, async (replica) => {
    await replica.kill();
    world.deaths.replica++;
    await sleep(between(random, 0, 4_000));
    await replica.start();
  });

/** Every process of it suspended: its kernel accepts connections and bytes, and nothing is answered. */
export const replicaSilenced = (world: FaultWorld, random: () => number): Promise<void> =>
  strikeReplica(world, async (replica) => {
    replica.suspend();
    await sleep(between(random, 500, 12_000)).finally(() => {
      replica.resume();
    });
  });

/** It receives what the primary writes, and does not replay it. */
export const replicaLate = (world: FaultWorld, random: () => number): Promise<void> =>
  strikeReplica(world, async (replica) => {
    await replica.run('SELECT pg_wal_replay_pause()');
    await sleep(between(random, 50, 5_000));
    await replica.run('SELECT pg_wal_replay_resume()');
  });

/** It follows the primary no longer, and has everything until then; a new copy takes its place. */
export const replicaPromoted = (world: FaultWorld, random: () => number): Promise<void> =>
  strikeReplica(world, async (replica) => {
    await replica.promote();
    await sleep(between(random, 500, 6_000));
    await replica.follow(world.around.postgres);
  });

/** Until it answers reads again. Clients read what they wrote all the time, and refuse an older answer. */
async function strikeReplica(world: FaultWorld, strike: (replica: PostgresServer) => Promise<void>): Promise<void> {
  const { replica } = world.around;
  if (replica === null) throw new Error('there is no replica');
  await strike(replica);
  const deadline = performance.now() + BACK_MS;
  const before = await readsOf(world);
  while ((await readsOf(world)) <= before) {
    if (performance.now() > deadline) throw world.service.complaint('did not read from the replica again');
    await sleep(100);
  }
}

/** Reads that the replica answered since the service started. */
async function readsOf({ service }: FaultWorld): Promise<number> {
  try {
    const text = await (await fetch(`${service.address}/metrics`, { signal: AbortSignal.timeout(5_000) })).text();
    return Number(/^watchledger_replica_reads_total\{place="replica"\} (\d+)$/m.exec(text)?.[1] ?? 0);
  } catch {
    return 0;
  }
}
