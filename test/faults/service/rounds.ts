import { setTimeout as sleep } from 'node:timers/promises';
import { Alerts } from './alerts.ts';
import { type Fault, type FaultName, faults } from './fault-table.ts';
import { hold } from './invariants.ts';
import { Load } from './load.ts';
import { type Engine, World } from './world.ts';

export interface Plan {
  readonly engine: Engine;
  readonly rounds: number;
  readonly random: () => number;
  /** Empty: every fault that there is for the engine. */
  readonly only: readonly string[];
  readonly say: (line: string) => void;
}

const WRITERS = 6;
const ALERTING = 12;
const PROGRESS_MS = 120_000;

/** Strikes while clients write and messages go out, and looks after each round whether all that was promised holds. Throws at the first that does not. */
export async function strikeInRounds({ engine, rounds, random, only, say }: Plan): Promise<void> {
  const world = await World.open(engine);
  const address = (): string => world.service.address;
  const load = new Load(address, WRITERS);
  let alerts: Alerts | undefined;
  const struck = new Map<string, number>();
  try {
    load.begin();
    const told = (alerts = await Alerts.begin(address, () => world.store, ALERTING));
    const names = possible(world, engine, only);
    for (let round = 1; round <= rounds; round++) {
      await progress(load, told);
      await sleep(random() * 1_000);
      // Each once in turn, then as it comes.
      const name = names[round <= names.length ? round - 1 : Math.floor(random() * names.length)];
      if (name === undefined) throw new Error('there is no such fault here');
      const fault: Fault = faults[name];
      await fault.strike(world, random, () => {
        told.crashed();
      });
      struck.set(name, (struck.get(name) ?? 0) + 1);
      await progress(load, told);
      await hold({ url: world.url, env: world.env, folder: world.folder, acknowledged: load.acknowledged, messages: () => told.ids() });
      say(
        `round ${String(round)}: ${name}; ${String(load.count)} writes, ${String(told.told)} alerts, ${String(told.repeats)} repeats: all holds`,
      );
    }
    await Promise.all([load.end(), told.end()]);
    complain(load, told);
    say([...struck].map(([name, times]) => `${name}: ${String(times)}`).join(', '));
  } finally {
    await alerts?.close();
    await world.close();
  }
}

function possible(world: World, engine: Engine, only: readonly string[]): readonly FaultName[] {
  const rows = Object.entries(faults) as [FaultName, Fault][];
  return rows
    .filter(([, fault]) => (fault.engine ?? engine) === engine && (fault.needsSmallDisk !== true || world.smallDisk))
    .map(([name]) => name)
    .filter((name) => only.length === 0 || only.some((part) => name.includes(part)));
}

/** Both writes and messages go on. */
async function progress(load: Load, alerts: Alerts): Promise<void> {
  const before = { writes: load.count, told: alerts.told };
  const deadline = performance.now() + PROGRESS_MS;
  while (load.count < before.writes + WRITERS || alerts.told === before.told) {
    complain(load, alerts);
    if (performance.now() > deadline)
      throw new Error(
        `nothing goes on: ${String(load.count - before.writes)} writes, ${String(alerts.told - before.told)} alerts in two minutes`,
      );
    await sleep(20);
  }
}

function complain(load: Load, alerts: Alerts): void {
  const [failure] = [...load.failures, ...alerts.failures];
  if (failure !== undefined) throw failure;
  const [often] = alerts.tooOften();
  if (often !== undefined) throw new Error(often);
}
