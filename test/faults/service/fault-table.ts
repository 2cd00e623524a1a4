import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CrashPoint, crashPoints } from './crash-points.ts';
import {
  duringBackup,
  duringClosing,
  duringFill,
  duringFirstStart,
  duringRebuild,
  duringTakeover,
  duringTeamStep,
} from './crash-scenarios.ts';
import { between } from './random.ts';
import { replicaKilled, replicaLate, replicaPromoted, replicaSilenced } from './replica-strikes.ts';
import { crashAt } from './crash-at.ts';
import type { Engine } from './environment.ts';
import type { FaultWorld } from './fault-world.ts';

export type Strike = (world: FaultWorld, random: () => number) => Promise<void>;

export interface Fault {
  /** The engines to which it applies; all by default. */
  readonly engines?: readonly Engine[];
  readonly needs?: 'small disk' | 'libfaketime' | 'observations apart' | 'read replica';
  /** Relative frequency, 1 by default. */
  readonly weight?: number;
  /** Injects the fault and leaves the service running. */
  readonly strike: Strike;
}

const HOUR_MS = 3_600_000;
/** A lease expires after ten seconds without a heartbeat. */
const BEYOND_LEASE_MS = 12_000;

/** From shorter than any limit to longer than the watch over connections waits. */
const silence = (random: () => number): number => between(random, 2_000, 20_000);

const step = (hours: number): Fault => ({
  strike: async ({ service }, random) => {
    service.obey({ offset: hours * HOUR_MS });
    await sleep(between(random, 2_000, 4_000));
    service.obey({});
  },
});

const postgresStep = (hours: number): Fault => ({
  needs: 'libfaketime',
  strike: async ({ around: { clock } }, random) => {
    clock?.step(hours * HOUR_MS);
    await sleep(between(random, 3_000, 6_000));
    clock?.step(0);
  },
});

const rows: Readonly<Record<string, Fault>> = {
  'the service killed': {
    weight: 8,
    strike: async (world) => {
      await world.killed();
      await world.restart();
    },
  },
  'the service killed while it starts': {
    weight: 5,
    strike: async (world, random) => {
      await world.killed();
      for (let times = 0; times < 4; times++) await world.startAndKill(between(random, 200, 2_500));
      await world.restart();
    },
  },
  'Postgres killed': { weight: 6, strike: (world) => world.killPostgres() },
  'Postgres killed again as soon as it is back': {
    weight: 4,
    strike: async (world, random) => {
      await world.killPostgres();
      await sleep(between(random, 0, 300));
      await world.killPostgres();
    },
  },
  'Postgres silenced': {
    weight: 2,
    strike: (world, random) => world.silence(world.around.postgres, silence(random)),
  },
  'the observations killed': { needs: 'observations apart', weight: 6, strike: (world) => world.killObservations() },
  'the observations killed again as soon as they are back': {
    needs: 'observations apart',
    weight: 4,
    strike: async (world, random) => {
      await world.killObservations();
      await sleep(between(random, 0, 300));
      await world.killObservations();
    },
  },
  'the observations silenced': {
    needs: 'observations apart',
    weight: 4,
    strike: (world, random) => world.silence(world.around.observations?.postgres, silence(random)),
  },
  'the observations killed while the service starts': {
    needs: 'observations apart',
    weight: 2,
    strike: async (world, random) => {
      await world.killed();
      const restarted = world.restart();
      await sleep(between(random, 200, 1_500));
      await world.killObservations();
      await restarted;
    },
  },
  'both databases killed': {
    needs: 'observations apart',
    weight: 2,
    strike: async (world) => {
      await Promise.all([world.killPostgres(), world.killObservations()]);
    },
  },
  'the replica killed': { needs: 'read replica', weight: 3, strike: replicaKilled },
  'the replica silenced': { needs: 'read replica', weight: 3, strike: replicaSilenced },
  'the replica late': { needs: 'read replica', weight: 3, strike: replicaLate },
  'the replica promoted': { needs: 'read replica', weight: 2, strike: replicaPromoted },
  'the replica and Postgres killed': {
    needs: 'read replica',
    weight: 2,
    strike: async (world, random) => {
      await Promise.all([world.killPostgres(), replicaKilled(world, random)]);
    },
  },
  'both killed': {
    weight: 2,
    strike: async (world) => {
      await Promise.all([world.killed(), world.killPostgres()]);
      await world.restart();
    },
  },
  'Postgres killed while the service starts': {
    strike: async (world, random) => {
      await world.killed();
      const restarted = world.restart();
      await sleep(between(random, 200, 1_500));
      await world.killPostgres();
      await restarted;
    },
  },
  'one of two instances killed': {
    strike: async (world) => {
      const other = world.launch();
      await other.ready();
      await world.killed();
      world.took(other);
    },
  },
  'a pause beyond the lease, while another takes over': {
    strike: async (world) => {
      const paused = world.service;
      const other = world.launch();
      await other.ready();
      await world.killed(async () => {
        paused.signal('SIGSTOP');
        world.service = other;
        await sleep(BEYOND_LEASE_MS);
        paused.signal('SIGCONT');
        // The resumed process still assumes for a moment that it holds its lease.
        await sleep(3_000);
        await paused.end();
      });
      world.took(other);
    },
  },
  'the clock an hour on': step(1),
  'the clock an hour back': step(-1),
  "Postgres' clock an hour on": postgresStep(1),
  "Postgres' clock an hour back": postgresStep(-1),
  'the disk full': {
    needs: 'small disk',
    strike: async ({ around, onCrash }, random) => {
      onCrash.begins();
      const ballast = join(around.disk, 'ballast');
      fill(ballast);
      await sleep(between(random, 2_000, 5_000));
      rmSync(ballast);
      onCrash.over();
    },
  },
  'killed while a database is made': { strike: duringFirstStart },
  'killed while the read models are filled': { strike: duringFill },
  "killed while a team's projection is rebuilt": { strike: duringRebuild },
  "a team's process killed at one of its steps": { weight: 4, strike: duringTeamStep },
  'killed while days are closed': { strike: duringClosing },
  'killed while a backup is taken': { strike: duringBackup },
  'killed while shards are taken over': { weight: 2, strike: duringTakeover },
  ...Object.fromEntries(
    Object.entries<CrashPoint>(crashPoints).map(([name, moment]) => [
      `killed ${name}`,
      { ...(moment.engines && { engines: moment.engines }), strike: (world, random) => crashAt(world, moment, random) } satisfies Fault,
    ]),
  ),
  'the event store dropped': {
    engines: ['double'],
    strike: async ({ around: { double } }) => {
      double?.dropConnections();
      await sleep(500);
    },
  },
  'the event store hung': {
    engines: ['double', 'server'],
    strike: async ({ around: { double, node } }, random) => {
      double?.stall();
      node?.signal('SIGSTOP');
      await sleep(between(random, 3_000, 9_000));
      double?.resume();
      node?.signal('SIGCONT');
    },
  },
  'the event store killed': {
    engines: ['double', 'server'],
    weight: 3,
    strike: (world) => world.killEvents(0),
  },
  'the event store away': {
    engines: ['double'],
    strike: (world, random) => world.killEvents(between(random, 1_000, 5_000)),
  },
};

export const faults: ReadonlyMap<string, Fault> = new Map(Object.entries(rows));

function fill(path: string): void {
  const file = openSync(path, 'w');
  for (let size = 1 << 22; size >= 4096;)
    try {
      if (writeSync(file, Buffer.alloc(size)) < size) size >>= 1;
    } catch {
      size >>= 1;
    }
  closeSync(file);
}
