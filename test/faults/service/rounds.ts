import { setTimeout as sleep } from 'node:timers/promises';
import { Alerts } from './alerts.ts';
import { ClientPace } from './client-pace.ts';
import { type Fault, faults } from './fault-table.ts';
import { checkInvariants, waitUntilSettled } from './invariants/check-invariants.ts';
import { Load, type LoadSize } from './load.ts';
import { ConsumedEvents } from './consumed-events.ts';
import { PushedEvents } from './pushed-events.ts';
import { between, choose } from './random.ts';
import type { Databases, Engine } from './environment.ts';
import { FaultWorld } from './fault-world.ts';

export interface Plan {
  readonly engine: Engine;
  readonly databases?: Databases;
  readonly rounds: number;
  /** Faults per round; the invariants are checked after each round. */
  readonly strikes: number;
  readonly random: () => number;
  /** Parts of fault names; empty: every fault of the engine. */
  readonly only: readonly string[];
  readonly load?: LoadSize & { readonly alerting: number; readonly pauseMs?: number };
  readonly say: (line: string) => void;
}

export interface Totals {
  /** How often each died by SIGKILL. */
  readonly service: number;
  /** Of the service, at a chosen statement. */
  readonly atTheMoment: number;
  readonly postgres: number;
  readonly observations: number;
  readonly replica: number;
  readonly events: number;
  /** The process of the team's package. */
  readonly team: number;
}

/** Alerts of one project come about once a minute: this many projects keep messages in progress all the time. */
const LOAD = { renaming: 4, changing: 2, alerting: 30 };
const PROGRESS_MS = 120_000;

/**
 * Injects faults while clients write and messages are delivered, and waits for progress of both before and after each. Checks the invariants after
 * each round, and throws when one is violated.
 */
export async function injectFaultsInRounds({
  engine,
  databases = 'one',
  rounds,
  strikes,
  random,
  only,
  load: size = LOAD,
  say,
}: Plan): Promise<Totals> {
  const world = await FaultWorld.open(engine, databases, new ClientPace(size.pauseMs));
  const struck = new Map<string, number>();
  let [load, alerts]: [Load | undefined, Alerts | undefined] = [undefined, undefined];
  let [pushed, consumed]: [PushedEvents | undefined, ConsumedEvents | undefined] = [undefined, undefined];
  try {
    load = await Load.begin(() => world.service.address, world.pace, size);
    alerts = await Alerts.begin(load.client(), world.around.store, world.pace, size.alerting);
    pushed = await PushedEvents.begin(load.client());
    consumed = await ConsumedEvents.begin(load.client());
    const { arrivals } = alerts;
    world.onCrash = { begins: () => arrivals.crashBegins(), over: () => arrivals.crashesOver() };
    const table = possible(world, engine, only, say);
    // Each once in turn, then at random.
    const first = [...table];
    for (let round = 1; round <= rounds; round++) {
      const began = performance.now();
      const names: string[] = [];
      for (let strike = 0; strike < strikes; strike++) {
        await progress(world, load, alerts);
        await sleep(between(random, 0, 400));
        const fault = first.shift() ?? choose(random, table);
        if (fault === undefined) throw new Error('no fault of this engine matches');
        await fault.strike(world, random);
        names.push(fault.name);
        struck.set(fault.name, (struck.get(fault.name) ?? 0) + 1);
      }
      await progress(world, load, alerts);
      const struckIn = performance.now() - began;
      await waitUntilSettled({ pool: world.around.pool, observationPool: world.observationPool, closed: world.closed });
      await checkInvariants({
        ...{ pool: world.around.pool, observationPool: world.observationPool, url: world.around.url, masterKey: world.env.MASTER_KEY },
        ...{
          deeds: load.deeds.snapshot(),
          erased: [...load.erased],
          closed: [...world.closed],
          notes: world.notes.map((note, index) => ({ name: `note ${String(index)}`, note })),
        },
        hasArrived: (id) => arrivals.has(id),
      });
      await pushed.untilComplete(world.around.pool);
      await consumed.untilComplete(world.around.pool);
      await world.around.reacted.untilComplete(world.around.pool);
      complain(load, alerts);
      const seconds = `${(struckIn / 1_000).toFixed(0)} s, looked at in ${((performance.now() - began - struckIn) / 1_000).toFixed(1)} s`;
      say(`round ${String(round)} (${seconds}): ${names.join(', ')}`);
      say(
        `  all holds; ${totalsOf(world)}; ${String(load.count)} writes, ${String(alerts.delivered)} alerts, ${String(arrivals.repeats)} repeats`,
      );
    }
    await Promise.all([load.end(), alerts.end(), consumed.close()]);
    complain(load, alerts);
    say([...struck].map(([name, times]) => `${name}: ${String(times)}`).join(', '));
    return { ...world.deaths, atTheMoment: world.atTheMoment };
  } finally {
    void consumed?.close();
    await pushed?.close();
    await alerts?.close();
    await load?.close();
    await world.close();
  }
}

interface Choice extends Fault {
  readonly name: string;
  readonly weight: number;
}

function possible(world: FaultWorld, engine: Engine, only: readonly string[], say: Plan['say']): readonly Choice[] {
  const { smallDisk, clock, observations, replica } = world.around;
  const missing = { 'small disk': !smallDisk, libfaketime: clock === null };
  const lacking = { ...missing, 'observations apart': observations === null, 'read replica': replica === null };
  for (const [thing, lacks] of Object.entries(missing))
    if (lacks) say(`without ${thing}, which is not available here, some faults are skipped`);
  return [...faults]
    .filter(([, { engines = [engine], needs }]) => engines.includes(engine) && (needs === undefined || !lacking[needs]))
    .filter(([name]) => only.length === 0 || only.some((part) => name.includes(part)))
    .map(([name, fault]) => ({ weight: 1, ...fault, name }));
}

const totalsOf = ({ deaths, atTheMoment, missed }: FaultWorld): string =>
  `the service died ${String(deaths.service)} times (${String(atTheMoment)} at a chosen statement, ${String(missed)} after waiting for it in vain), Postgres ${String(deaths.postgres)} times, the Postgres of the observations ${String(deaths.observations)} times, the read replica ${String(deaths.replica)} times, the event store ${String(deaths.events)} times, the process of the team ${String(deaths.team)} times`;

/** Waits for progress of both writes and messages. */
async function progress(world: FaultWorld, load: Load, alerts: Alerts): Promise<void> {
  const before = { writes: load.count, alerts: alerts.delivered };
  const deadline = performance.now() + PROGRESS_MS;
  while (load.count < before.writes + 3 || alerts.delivered === before.alerts) {
    complain(load, alerts);
    if (world.service.hasExited) throw world.service.complaint('ended without being killed');
    if (performance.now() > deadline)
      throw new Error(
        `no progress: ${String(load.count - before.writes)} writes, ${String(alerts.delivered - before.alerts)} alerts in two minutes`,
      );
    await sleep(20);
  }
}

function complain(load: Load, alerts: Alerts): void {
  const [failure] = [...load.failures, ...alerts.failures];
  if (failure !== undefined) throw failure;
  const [often] = alerts.arrivals.tooOften();
  if (often !== undefined) throw new Error(often);
}
