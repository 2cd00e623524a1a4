import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { World } from './world.ts';

export interface Fault {
  readonly engine?: 'double';
  readonly needsSmallDisk?: true;
  /** Does it, and leaves the service running. `crashed`: what was on its way may come once more. */
  readonly strike: (world: World, random: () => number, crashed: () => void) => Promise<void>;
}

const HOUR_MS = 3_600_000;
/** A lease is free after ten seconds without a sign of life. */
const BEYOND_LEASE_MS = 12_000;
const between = (random: () => number, from: number, to: number): number => from + random() * (to - from);

const step = (hours: number): Fault => ({
  strike: async ({ service }, random) => {
    service.stepClock(hours * HOUR_MS);
    await sleep(between(random, 2_000, 4_000));
    service.stepClock(0);
  },
});

export const faults = {
  'the service killed': {
    strike: async (world, _, crashed) => {
      crashed();
      await world.restart();
    },
  },
  'Postgres killed': {
    strike: async (world, _, crashed) => {
      crashed();
      await world.killDatabase();
    },
  },
  'both killed': {
    strike: async (world, _, crashed) => {
      crashed();
      await Promise.all([world.killDatabase(), world.service.end('SIGKILL')]);
      await world.restart();
    },
  },
  'the clock an hour on': step(1),
  'the clock an hour back': step(-1),
  'a pause beyond the lease, while another takes over': {
    strike: async (world, _, crashed) => {
      const paused = world.service;
      const other = await world.another();
      crashed();
      paused.signal('SIGSTOP');
      world.service = other;
      await sleep(BEYOND_LEASE_MS);
      paused.signal('SIGCONT');
      // It believes for a moment that nothing has happened.
      await sleep(3_000);
      await paused.end('SIGKILL');
    },
  },
  'the disk full': {
    needsSmallDisk: true,
    strike: async ({ disk }, random, crashed) => {
      crashed();
      const ballast = join(disk, 'ballast');
      fill(ballast);
      await sleep(between(random, 2_000, 5_000));
      rmSync(ballast);
    },
  },
  'the event store dropped': {
    engine: 'double',
    strike: async ({ double }) => {
      double?.dropConnections();
      await sleep(500);
    },
  },
  'the event store hung': {
    engine: 'double',
    strike: async ({ double }, random) => {
      double?.stall();
      await sleep(between(random, 3_000, 9_000));
      double?.resume();
    },
  },
  'the event store restarted': {
    engine: 'double',
    strike: async ({ double }) => {
      await double?.restart({ keepState: true });
    },
  },
  'the event store away': {
    engine: 'double',
    strike: async ({ double }, random) => {
      await double?.kill();
      await sleep(between(random, 1_000, 5_000));
      await double?.revive();
    },
  },
} satisfies Record<string, Fault>;

export type FaultName = keyof typeof faults;

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
