import { randomBytes } from 'node:crypto';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PackCompactor } from '../../../src/platform/observations/packs/pack-compactor.ts';
import { sampleKind } from '../../../src/platform/observations/samples/postgres-samples.ts';
import { viewUnit } from '../../../src/platform/read-models/views/unit.ts';
import { checkFile } from '../../../src/operations/backup/backup-files.ts';
import { coreViews } from '../../../src/app/projection-table.ts';
import { sampleAt } from '../../support/observations/sample.ts';
import { watchledgerProcess } from '../../support/command-line.ts';
import { ServiceInstance } from './service-instance.ts';
import { between } from './random.ts';
import { CRASH_POINT_TIMEOUT_MS, crashOrder } from './crash-at.ts';
import titles from './titles.projection.ts';
import { dropSchema } from '../../../src/platform/read-models/engine/schemas.ts';
import type { FaultWorld } from './fault-world.ts';

const EVERY_STATEMENT = [''];
const DAY_MS = 86_400_000;

/** Crashes while a new database is migrated and filled; the next instance gets ready. */
export async function duringFirstStart(world: FaultWorld, random: () => number): Promise<void> {
  const url = await world.around.postgres.create(`first_${String(Math.floor(random() * 1e9))}`);
  const { EVENTSTORE_URL: _, ...env } = world.env;
  const dieAt = crashOrder(EVERY_STATEMENT, random, Math.floor(random() * 120));
  const dying = new ServiceInstance(world.around.folder, { ...env, DATABASE_URL: url }, { dieAt });
  await dying.ready();
  await dying.end();
  world.deaths.service++;
  const instance = new ServiceInstance(world.around.folder, { ...env, DATABASE_URL: url });
  await instance.ready();
  await instance.end();
}

/** Drops the read models, which a start fills again from the log, and crashes during the fill. */
export async function duringFill(world: FaultWorld, random: () => number): Promise<void> {
  await world.killed();
  await dropSchema(world.around.pool, viewUnit('core', coreViews).schema);
  await world.startAndDie(crashOrder(EVERY_STATEMENT, random, Math.floor(random() * 120)), CRASH_POINT_TIMEOUT_MS);
  await world.restart();
}

/** Crashes during the blue/green rebuild of a team's tables. */
export async function duringRebuild(world: FaultWorld, random: () => number): Promise<void> {
  await world.killed(async () => {
    await world.admin().ask('POST', `/ops/projections/${titles.name}/rebuild`, [200]);
    world.service.obey({ dieAt: crashOrder([`p_${titles.name}`], random, Math.floor(random() * 6)) });
    await world.dieAsOrdered(CRASH_POINT_TIMEOUT_MS);
  });
  await world.restart();
}

/** What the process of a package does at its steps: it reads the log, opens a transaction, writes its tables, moves its checkpoint, commits; the effects of its reactor, around a request. */
const TEAM_STEPS = [
  ['team_log'],
  ['SET LOCAL search_path'],
  ['INSERT INTO "title"'],
  ['projection_move'],
  ['COMMIT'],
  ['watchledger_effect'],
  ['INSERT INTO begun'],
  ['INSERT INTO acted'],
  EVERY_STATEMENT,
] as const;

/** Kills the process of the team's package at one of its steps; the service starts it again. */
export async function duringTeamStep(world: FaultWorld, random: () => number): Promise<void> {
  const { pool } = world.around;
  const ends = async (): Promise<number> =>
    (await pool.query<{ ends: number }>('SELECT ends FROM team_process WHERE projection = $1', [titles.name])).rows[0]?.ends ?? 0;
  const before = await ends();
  const step = TEAM_STEPS[Math.floor(random() * TEAM_STEPS.length)] ?? EVERY_STATEMENT;
  writeFileSync(world.env.TEAM_ORDERS_FILE, JSON.stringify({ dieAt: crashOrder(step, random, Math.floor(random() * 3)) }));
  const deadline = performance.now() + CRASH_POINT_TIMEOUT_MS;
  while ((await ends()) === before && performance.now() < deadline) await sleep(50);
  rmSync(world.env.TEAM_ORDERS_FILE, { force: true });
  if ((await ends()) === before) {
    world.missed++;
    return;
  }
  world.atTheMoment++;
  world.deaths.team++;
}

/** Past days with samples that are not closed yet: the next start crashes while closing them. */
export async function duringClosing(world: FaultWorld, random: () => number): Promise<void> {
  await world.killed();
  const midnight = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const day = midnight - (2 + 3 * world.closed.length) * DAY_MS;
  const projectId = randomBytes(12).toString('hex');
  const samples = Array.from({ length: 60 }, (_, minute) => sampleAt(day + 43_200_000 + minute * 60_000));
  await new PackCompactor(world.observationPool, sampleKind).write(projectId, samples);
  world.closed.push({ projectId, day: new Date(day).toISOString().slice(0, 10) });
  await world.startAndDie(crashOrder(['closed_book', `days-`, 'append_'], random, Math.floor(random() * 4)), CRASH_POINT_TIMEOUT_MS);
  await world.restart();
}

/** A new owner crashes between the lease of a shard and the first read, around the raising of a fence; the next one takes the shard over. */
export async function duringTakeover(world: FaultWorld, random: () => number): Promise<void> {
  await world.killed();
  await world.startAndDie(crashOrder(['raise_fence'], random, Math.floor(random() * 60)), CRASH_POINT_TIMEOUT_MS);
  await world.restart();
}

/** Kills the database during a backup: afterwards there is no file or a complete one. */
export async function duringBackup(world: FaultWorld, random: () => number): Promise<void> {
  const file = join(world.around.folder, 'backup');
  const { ran } = watchledgerProcess(world.around.folder, world.env, 'backup', file);
  await sleep(between(random, 300, 1_800));
  await world.killPostgres();
  const { status, err } = await ran;
  const written = [file, `${file}.keys`].filter((path) => existsSync(path));
  if (status === 0 && written.length < 2) throw new Error(`the backup succeeded without a file: ${err}`);
  for (const path of written) {
    await checkFile(path, Buffer.from(world.env.MASTER_KEY, 'hex'), new AbortController().signal);
    rmSync(path);
  }
}
