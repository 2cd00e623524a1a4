import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { openPool } from '../../src/platform/postgres/pool.ts';
import type { RetryingClient } from '../faults/service/retrying-client.ts';
import { checkInvariants } from '../faults/service/invariants/check-invariants.ts';
import { Load } from '../faults/service/load.ts';
import { ClientPace } from '../faults/service/client-pace.ts';
import { ClusterWorld } from './cluster-world.ts';
import { type Place, sameAsFar, wholeStore } from './whole-store.ts';

export interface LeaderPlan {
  readonly command: string;
  readonly rounds: number;
  readonly random: () => number;
  readonly say: (line: string) => void;
}

const WRITERS = 6;
const GOES_ON_MS = 240_000;

/**
 * Kills the leader of a cluster under load and checks the invariants after each election: no acknowledged write lost or duplicated, read models equal
 * to the log, the seal intact, the log equal to the cluster. Throws at the first violation.
 */
export async function killLeaders({ command, rounds, random, say }: LeaderPlan): Promise<void> {
  const world = await ClusterWorld.open(command);
  const address = (): string => world.service.address;
  const load = await Load.begin(address, new ClientPace(), { renaming: WRITERS, changing: 1 });
  const pool = openPool(world.database.url, { name: 'faults', max: 2 });
  const still: number[] = [];
  try {
    const probe = await Probe.begin(load.client());
    for (let round = 1; round <= rounds; round++) {
      await goesOn(load);
      const leader = await world.cluster.leader();
      await sleep(random() * 500);
      await world.cluster.strike(leader);
      still.push(await probe.write());
      await goesOn(load);
      await sleep(random() * 2_000);
      world.cluster.revive(leader);
      await checkInvariants({
        ...{ pool, observationPool: pool, url: world.database.url, masterKey: world.env.MASTER_KEY },
        ...{ deeds: load.deeds.snapshot(), erased: [...load.erased], closed: [], notes: [], hasArrived: () => true },
      });
      await logIsStore(world);
      say(`round ${String(round)}: no write for ${seconds(still.at(-1))}; ${String(load.count)} writes: all holds`);
    }
    await load.end();
    complain(load);
    say(`writes were interrupted for ${spread(still)} (least, median, most) over ${String(rounds)} lost leaders`);
  } finally {
    await load.close();
    await pool.end();
    await world.close();
  }
}

/** One write at a time, begun when a leader was lost. */
class Probe {
  private turn = 0;

  private constructor(
    private readonly client: RetryingClient,
    private readonly id: string,
  ) {}

  static async begin(client: RetryingClient): Promise<Probe> {
    const body = { url: 'http://probe.example', checkInterval: 'false' };
    const { id } = await client.write('POST', '/project/create', body, 'probe', { ProjectCreated: 1 });
    await client.write('PUT', `/project/${String(id)}`, { uptimeEnabled: 'false' }, 'probe-quiet', { UptimePeriodChanged: 1 });
    return new Probe(client, String(id));
  }

  /** Milliseconds until it was acknowledged, which is when it can be read. */
  async write(): Promise<number> {
    const title = `probe-${String(++this.turn)}`;
    const begun = performance.now();
    await this.client.write('PUT', `/project/${this.id}`, { title }, title, { ProjectRenamed: 1 });
    return performance.now() - begun;
  }
}

/** Every writer gets answers again: appends and the mirror have resumed. */
async function goesOn(load: Load): Promise<void> {
  const before = load.count;
  const deadline = performance.now() + GOES_ON_MS;
  while (load.count < before + WRITERS) {
    complain(load);
    if (performance.now() > deadline) throw new Error(`${String(load.count - before)} writes were acknowledged in four minutes`);
    await sleep(20);
  }
}

function complain(load: Load): void {
  const [failure] = load.failures;
  if (failure !== undefined) throw failure;
}

/** The log was not longer than the cluster, and becomes as long: nothing invented, nothing skipped, in the same order. */
async function logIsStore({ cluster, database }: ClusterWorld): Promise<void> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    const before = await wholeLog(client);
    const held = await wholeStore(cluster.url());
    if (before.length > held.length || held.length === 0)
      throw new Error(`the log had ${String(before.length)} events, and then the cluster ${String(held.length)}`);
    sameAsFar(before, held, 'log and cluster');
    const deadline = performance.now() + GOES_ON_MS;
    let after = before;
    while (after.length < held.length) {
      if (performance.now() > deadline) throw new Error(`the log stays at ${String(after.length)} of ${String(held.length)} events`);
      await sleep(50);
      after = await wholeLog(client);
    }
    sameAsFar(after, held, 'log and cluster');
  } finally {
    await client.end();
  }
}

async function wholeLog(client: pg.Client): Promise<readonly Place[]> {
  const { rows } = await client.query<Place>('SELECT source_position AS position, id, stream, revision FROM log ORDER BY n');
  return rows;
}

const seconds = (milliseconds = 0): string => `${(milliseconds / 1_000).toFixed(1)} s`;

function spread(of: readonly number[]): string {
  const sorted = of.toSorted((a, b) => a - b);
  return [sorted[0], sorted[Math.floor(sorted.length / 2)], sorted.at(-1)].map(seconds).join(' / ');
}
