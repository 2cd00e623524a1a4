import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { viewUnit } from '../../src/platform/read-models/views/unit.ts';
import { coreViews } from '../../src/app/projection-table.ts';
import { readModels, sealed } from '../faults/service/invariants/derived-state.ts';
import { logOrder } from '../faults/service/invariants/log-order.ts';
import { writesOnce } from '../faults/service/invariants/writes-once.ts';
import { TEAM } from '../faults/service/team-projections.ts';
import { ADMIN, TestService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { DATABASE, FailoverPair, type Replication } from './failover-pair.ts';
import { isLost, Writers } from './writers.ts';

/**
 * How the primary fails. `killed`: its connections are reset. `suspended`: all its processes stop, its kernel answers. `vanished`: no packet arrives any
 * more, also of new connections. `half-open`: what is sent arrives, and the answers are lost. The balancer keeps the connections of the last three.
 */
export type Failure = 'killed' | 'suspended' | 'vanished' | 'half-open';

/** What is waiting in the middle of its work when the primary fails: a lock holds it there for a moment before. */
export type Held = 'append' | 'keyed insert' | 'mirror' | 'views' | 'team projection' | 'leases' | 'seal';

export interface Round {
  readonly failure: Failure;
  readonly replication: Replication;
  readonly held?: Held;
}

export interface Figures {
  /** From the switch of the balancer to the first acknowledged write. */
  readonly firstWriteMs: number;
  /** Until every instance is ready and acknowledges writes. */
  readonly allReadyMs: number;
  readonly acknowledged: number;
  /** Acknowledged while nothing was replicated, and lost; each was repeated by its key. */
  readonly lost: number;
  readonly seal: string;
}

export interface Plan {
  /** Of the event store, which is not Postgres then. */
  readonly eventStoreUrl?: string;
  readonly instances: number;
  readonly rounds: readonly Round[];
  readonly firstWriteWithinMs: number;
  readonly say: (line: string) => void;
}

const core = viewUnit('core', coreViews).schema;
const TABLES: Readonly<Record<Held, string>> = {
  append: 'log',
  'keyed insert': 'idempotency',
  mirror: 'log',
  views: `"${core}".project`,
  'team projection': 'p_titles_v1.title',
  leases: 'lease',
  seal: 'ledger_state',
};
const HELD_MS = 700;
/** Writes that only the failing primary has. */
const UNREPLICATED_MS = 400;
const NOTICED_MS = 1_000;
const STEADY_MS = 30_000;

/** Fails over in rounds under load, and checks after each what clients were promised. Throws at the first violation. */
export async function failOverInRounds({ eventStoreUrl, instances, rounds, firstWriteWithinMs, say }: Plan): Promise<readonly Figures[]> {
  const pair = await FailoverPair.open();
  const services: TestService[] = [];
  const found: Figures[] = [];
  try {
    for (let index = 0; index < instances; index++) services.push(await startInstance(pair, services[0], eventStoreUrl));
    const addresses = services.map(({ url }) => url);
    const writers = await Writers.begin(addresses, 2 * instances + 2);
    let mayBeUnsealed = false;
    for (const round of rounds) {
      mayBeUnsealed ||= round.replication === 'asynchronous';
      const figures = await failOver({ pair, services, writers, round, firstWriteWithinMs, mayBeUnsealed });
      mayBeUnsealed &&= figures.seal !== 'intact';
      found.push(figures);
      say(`${lineOf(instances, round, figures)} | load ${String(Math.round(loadavg()[0] ?? 0))}`);
    }
    await writers.end();
    return found;
  } catch (error) {
    say(services.map(({ log }) => log.slice(-30).join('\n')).join('\n\n'));
    throw error;
  } finally {
    for (const service of services) await service.kill();
    for (const service of services.reverse()) await service.stop();
    await pair.close();
  }
}

const startInstance = (pair: FailoverPair, beside: TestService | undefined, eventStoreUrl: string | undefined): Promise<TestService> =>
  TestService.start({
    ...(beside === undefined ? { database: { url: pair.url, pool: new pg.Pool(), drop: () => Promise.resolve() } } : { beside }),
    env: {
      ADMIN_EMAIL: ADMIN.email,
      ADMIN_PASSWORD: ADMIN.password,
      RATE_LIMIT: '0',
      PROJECTIONS: TEAM,
      ...(eventStoreUrl !== undefined && { EVENTSTORE_URL: eventStoreUrl }),
    },
  });

interface Situation {
  readonly pair: FailoverPair;
  readonly services: readonly TestService[];
  readonly writers: Writers;
  readonly round: Round;
  readonly firstWriteWithinMs: number;
  /** An asynchronous standby may lack what was sealed: then nothing is signed until the loss is declared. */
  readonly mayBeUnsealed: boolean;
}

async function failOver({ pair, services, writers, round, firstWriteWithinMs, mayBeUnsealed }: Situation): Promise<Figures> {
  const { failure, replication, held } = round;
  await pair.replicate(replication);
  await progress(writers);
  const holding = held === undefined ? undefined : await hold(pair, held);
  const cutAt = performance.now();
  if (replication === 'asynchronous') {
    pair.cutReplication();
    await sleep(UNREPLICATED_MS);
  }
  await fail(pair, failure);
  await sleep(NOTICED_MS);
  const former = await pair.promote();
  const switchedAt = performance.now();
  pair.balancer.switchTo(pair.primary.port, failure === 'killed' ? 'reset' : 'kept');
  if (failure === 'vanished' || failure === 'half-open') await former.kill();
  const isWritten = (): boolean => writers.firstAfter(switchedAt) !== undefined || writers.failure !== undefined;
  await until(() => Promise.resolve(isWritten()), firstWriteWithinMs, `a write acknowledged after ${failure}`);
  await progress(writers);
  await until(() => allReady(services), STEADY_MS, 'every instance ready');
  const allReadyMs = performance.now() - switchedAt;
  holding?.destroy();
  const firstWriteMs = (writers.firstAfter(switchedAt) ?? Infinity) - switchedAt;
  if (firstWriteMs > firstWriteWithinMs) throw new Error(`the first write after the switch took ${firstWriteMs.toFixed(0)} ms`);
  const resume = await writers.pause();
  const mayLoseAfter = replication === 'asynchronous' ? cutAt : Infinity;
  const kept = await check({ pair, services, writers, mayBeUnsealed, mayLoseAfter });
  await pair.restore(former);
  resume();
  return { firstWriteMs, allReadyMs, acknowledged: writers.count, ...kept };
}

async function fail(pair: FailoverPair, failure: Failure): Promise<void> {
  if (failure === 'killed') await pair.primary.kill();
  else if (failure === 'suspended') pair.primary.suspend();
  else if (failure === 'vanished') pair.balancer.blackHole();
  else pair.balancer.loseAnswers();
}

/** Holds a table for a moment, so that the work which writes to it is in the middle of a statement. */
async function hold(pair: FailoverPair, held: Held): Promise<{ destroy: () => void }> {
  const client = new pg.Client({ connectionString: pair.primary.url(DATABASE) });
  client.on('error', () => undefined);
  await client.connect();
  await client.query('BEGIN');
  await client.query(`LOCK TABLE ${TABLES[held]} IN EXCLUSIVE MODE`);
  await sleep(HELD_MS);
  return { destroy: () => client.connection.stream.destroy() };
}

/** Answers what was lost; throws when more was lost than may be, or anything was doubled. */
async function check({
  pair,
  services,
  writers,
  mayBeUnsealed,
  mayLoseAfter,
}: Omit<Situation, 'round' | 'firstWriteWithinMs'> & { readonly mayLoseAfter: number }): Promise<Pick<Figures, 'lost' | 'seal'>> {
  const url = pair.primary.url(DATABASE);
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  const [service] = services;
  if (service === undefined) throw new Error('no instance');
  const state = (): Parameters<typeof writesOnce>[0] => ({
    ...{ pool, observationPool: pool, url, masterKey: service.masterKey, deeds: writers.deeds.snapshot() },
    ...{ erased: [], closed: [], notes: [], hasArrived: () => true },
  });
  try {
    const complaints = await writesOnce(state());
    const lost = writers.acknowledged.filter((write) => isLost(write, complaints));
    const early = lost.filter(({ at }) => at < mayLoseAfter);
    if (early.length > 0 || lost.length < complaints.length) throw new Error(complaints.slice(0, 5).join('; '));
    for (const write of lost) await writers.repeat(service.url, write);
    const broken = [...(await writesOnce(state())), ...(await logOrder(state())), ...(await readModels(state()))];
    if (broken.length > 0) throw new Error(broken.slice(0, 5).join('; '));
    const seal = await sealed(state());
    if (seal.length > 0 && !mayBeUnsealed) throw new Error(seal.join('; '));
    return { lost: lost.length, seal: seal.length === 0 ? 'intact' : seal.join('; ') };
  } finally {
    await pool.end();
  }
}

/** Every client gets on. */
async function progress(writers: Writers): Promise<void> {
  const wanted = writers.count + 20;
  await until(() => Promise.resolve(writers.count >= wanted || writers.failure !== undefined), STEADY_MS, 'writes acknowledged');
  if (writers.failure !== undefined) throw new Error('a client failed', { cause: writers.failure });
}

async function allReady(services: readonly TestService[]): Promise<boolean> {
  const answers = await Promise.all(services.map(({ url }) => fetch(`${url}/health/ready`).catch(() => null)));
  return answers.every((answer) => answer?.status === 200);
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

const lineOf = (instances: number, { failure, replication, held }: Round, figures: Figures): string =>
  [
    `${String(instances)} x, ${replication}, ${failure}${held === undefined ? '' : `, ${held} held`}`,
    `first write ${seconds(figures.firstWriteMs)}`,
    `all ready ${seconds(figures.allReadyMs)}`,
    `${String(figures.acknowledged)} acknowledged`,
    `${String(figures.lost)} lost`,
    `seal ${figures.seal}`,
  ].join(' | ');
