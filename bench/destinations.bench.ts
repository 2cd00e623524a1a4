import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:http';
import {
  AddDestination,
  PauseDestination,
  ReplayDestination,
  ResumeDestination,
} from '../src/streams/destinations/destination.commands.ts';
import { systemContext } from '../src/platform/commands/context.ts';
import { loadConfig } from '../src/platform/config/config.ts';
import { randomId } from '../src/kernel/ids.ts';
import { pause } from '../src/kernel/abortable.ts';
import { Lifecycle } from '../src/kernel/lifecycle.ts';
import { openPool } from '../src/platform/postgres/pool.ts';
import { createLogger } from '../src/platform/telemetry/logging/logger.ts';
import { GrowthProofs } from '../src/proof/seal/seal-growth.ts';
import { streamLoops } from '../src/streams/streams.loops.ts';
import { longRunningParts } from '../src/app/long-running-parts.ts';
import { openParts, type Parts } from '../src/app/parts.ts';
import { openResources } from '../src/app/resources.ts';
import { samples } from '../test/samples/samples.ts';
import { until } from '../test/support/until.ts';
import { type Bench, figure, inTurns } from './support/bench.ts';
import { postgresSeconds, spentSince } from './support/processor.ts';

const EVENTS = 20_000;
const APPENDED_AT_ONCE = 200;
const ROUNDS = 3;
const PROJECT = 'a'.repeat(24);
/** Its destination is a million events behind; that of the other one is up to date. */
const BUSY = 'b'.repeat(24);
const QUIET = 'c'.repeat(24);
const BEHIND = 1_000_000;
const NEVER = new AbortController().signal;
const SAMPLES = 150;
const MOST_BODIES = 1_000;
const scopeOf = (project: string): string => `project-${project}`;

/**
 * Events of one project pushed to a receiver in the same process, against a loop that posts the same bodies one after the other; then single events of another
 * project, from the append to the receiver, while a third project is a million events behind, and while it is paused.
 */
const bench: Bench = async ({ database, say }) => {
  const url = await database();
  const receiver = await startCountingReceiver();
  await seed(url, say);
  const env = {
    DATABASE_URL: url,
    MASTER_KEY: randomBytes(32).toString('hex'),
    ALLOW_HOOKS: '127.0.0.0/8',
    LOG_LEVEL: 'silent',
    ROLES: 'projector',
  };
  const config = loadConfig(env, import.meta.dirname);
  const parts = await openParts(config, await openResources(config, url, await createLogger(config)));
  const lifecycle = new Lifecycle().add(...longRunningParts(config, parts));
  await lifecycle.start();
  const loops = streamLoops(config, { ...parts, seal: new GrowthProofs(parts.seal.ledger) });
  try {
    await fill(parts);
    const context = () => systemContext({ kind: 'user', id: '1' }, Date.now());
    const settings = { kind: 'webhook', name: 'bench', host: receiver.url, values: { url: receiver.url } } as const;
    const wanted = { ...settings, filter: { types: ['CheckFailed'], scopes: null }, after: -1, by: 1 };
    const { destinationId } = await parts.commands.execute(new AddDestination(context(), { owner: PROJECT, wanted }));
    const received = async (): Promise<number> => {
      const began = performance.now();
      await until(() => Promise.resolve(receiver.events >= EVENTS), 120_000, 'all events');
      return (EVENTS * 1_000) / (performance.now() - began);
    };
    for (const loop of loops) loop.start();
    await received();
    const bodies = [...receiver.bodies];
    say(`${String(bodies.length)} batches, ${String(Math.round(bodies.join('').length / EVENTS))} bytes an event`);
    let [cpu, postgres] = [0, 0];
    const speeds = await inTurns(ROUNDS, {
      pushed: async () => {
        receiver.clear();
        const [own, inPostgres] = [process.cpuUsage(), await postgresSeconds(parts.pool)];
        await parts.commands.execute(
          new ReplayDestination(context(), { owner: PROJECT, replay: { destinationId, after: -1, scope: null, by: 1 } }),
        );
        const speed = await received();
        const { user, system } = process.cpuUsage(own);
        cpu += user + system;
        postgres += spentSince(inPostgres, await postgresSeconds(parts.pool));
        return speed;
      },
      loop: async () => {
        receiver.clear();
        const began = performance.now();
        for (const body of bodies) await (await fetch(receiver.url, { method: 'POST', body })).arrayBuffer();
        return (EVENTS * 1_000) / (performance.now() - began);
      },
    });
    const all = ROUNDS * EVENTS;
    const delays = await delaysBeside(parts, receiver);
    return [
      figure('events pushed to one destination, and by a loop that posts the same bodies', speeds.pushed, 'events/s', {
        ceiling: speeds.loop,
        goal: { atLeast: 5_000 },
      }),
      figure('processor of the service and the receiver for it', cpu / all, 'µs an event'),
      figure('processor of Postgres for it', (postgres * 1e6) / all, 'µs an event'),
      figure('p99 from the append to the receiver, while another destination is paused', delays.alone, 'ms'),
      figure('the same while another destination is a million events behind', delays.beside, 'ms', {
        ceiling: delays.alone,
        goal: { ratioAtMost: 1.5 },
      }),
    ];
  } finally {
    await Promise.all(loops.map((loop) => loop.close()));
    await lifecycle.close();
    await parts.close();
    await receiver.close();
  }
};
export default bench;

/** Events that no read model folds. */
async function seed(url: string, say: (line: string) => void): Promise<void> {
  say(`writing ${BEHIND.toLocaleString('en')} events ...`);
  const pool = openPool(url, { name: 'bench', max: 1, statementTimeoutMs: 0 });
  await pool.query(SEED, [BEHIND, scopeOf(BUSY)]);
  await pool.end();
}

/** The p99 of single events of a project, in rounds. */
async function delaysBeside(parts: Parts, receiver: CountingReceiver): Promise<{ readonly alone: number; readonly beside: number }> {
  const context = () => systemContext({ kind: 'user', id: '1' }, Date.now());
  for (const project of [BUSY, QUIET]) await append(parts, project, scopeOf(project), 'ProjectCreated', 1);
  const quiet = await startCountingReceiver();
  try {
    const add = async (project: string, to: CountingReceiver, after: number): Promise<string> => {
      const settings = { kind: 'webhook', name: 'bench', host: to.url, values: { url: to.url } } as const;
      const wanted = { ...settings, filter: { types: [], scopes: null }, after, by: 1 };
      return (await parts.commands.execute(new AddDestination(context(), { owner: project, wanted }))).destinationId;
    };
    await add(QUIET, quiet, await parts.log.head());
    const busy = await add(BUSY, receiver, -1);
    let events = 0;
    const p99 = async (): Promise<number> => {
      await pause(1_000, NEVER);
      const delays: number[] = [];
      for (let sample = 0; sample < SAMPLES; sample++) {
        const arrived = quiet.next();
        const began = performance.now();
        await append(parts, QUIET, `quiet-${String(events++)}`, 'CheckFailed', 1);
        await arrived;
        delays.push(performance.now() - began);
      }
      return delays.sort((left, right) => left - right)[Math.ceil(SAMPLES * 0.99) - 1] ?? NaN;
    };
    return await inTurns(ROUNDS, {
      alone: async () => {
        await parts.commands.execute(new PauseDestination(context(), { owner: BUSY, destinationId: busy, reason: 'requested' }));
        return p99();
      },
      beside: async () => {
        await parts.commands.execute(new ResumeDestination(context(), { owner: BUSY, destinationId: busy, by: 1 }));
        const before = receiver.events;
        const delay = await p99();
        if (receiver.events === before) throw new Error('nothing was pushed beside');
        return delay;
      },
    });
  } finally {
    await quiet.close();
  }
}

/** Answers the position after it. */
async function append(
  { store }: Parts,
  project: string,
  stream: string,
  type: 'ProjectCreated' | 'CheckFailed',
  count: number,
): Promise<string> {
  const data = samples(project)[type];
  const events = Array.from({ length: count }, () => {
    const [id, commandId] = [randomId(), randomId()];
    const actor = { kind: 'checker', id: 'bench' } as const;
    const meta = { actor, correlationId: id, causationId: null, commandId, occurredAt: new Date().toISOString() };
    return { id, type, version: 1, scope: scopeOf(project), meta, data };
  });
  const result = await store.append(stream, 'no stream', events);
  if (result.kind !== 'appended') throw new Error(`the stream ${stream} exists`);
  return result.place.position;
}

/** A project of user 1 with failures, in appends of many events. */
async function fill(parts: Parts): Promise<void> {
  const { readYourWrites, pool, seal } = parts;
  let position = await append(parts, PROJECT, scopeOf(PROJECT), 'ProjectCreated', 1);
  for (let at = 0; at < EVENTS; at += APPENDED_AT_ONCE)
    position = await append(parts, PROJECT, `bench-${String(at)}`, 'CheckFailed', APPENDED_AT_ONCE);
  await readYourWrites.waitUntilVisible([{ position }], Date.now() + 60_000);
  // As autovacuum does within a minute.
  await pool.query('ANALYZE');
  // Sealing what was written before is no part of the measurement.
  const isSealed = async (): Promise<boolean> => Number((await seal.ledger.checkpoint())?.split('\n')[1] ?? 0) > BEHIND;
  await until(isSealed, 120_000, 'the seal');
}

interface CountingReceiver {
  readonly url: string;
  readonly bodies: readonly string[];
  readonly events: number;
  /** Resolves when the next batch comes. */
  next(): Promise<void>;
  clear(): void;
  close(): Promise<void>;
}

/** Counts events by what each batch says of itself. */
async function startCountingReceiver(): Promise<CountingReceiver> {
  let [bodies, events]: [string[], number] = [[], 0];
  let waiting: (() => void) | undefined;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      events += Number(/"events":(\d+)/.exec(body)?.[1] ?? 0);
      if (bodies.length < MOST_BODIES) bodies.push(body);
      response.end();
      waiting?.();
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  // Cast: a TCP server has an address of this form.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${String(port)}`,
    get bodies() {
      return bodies;
    },
    get events() {
      return events;
    },
    next: () => new Promise((resolve) => (waiting = resolve)),
    clear: () => {
      [bodies, events] = [[], 0];
    },
    close: () =>
      new Promise((closed) => {
        server.closeAllConnections();
        server.close(() => {
          closed();
        });
      }),
  };
}

const SEED = `
  INSERT INTO log (n, source_position, id, stream, revision, type, version, scope, recorded_at, data, meta)
  SELECT n, n::text, gen_random_uuid(), 'seed', n, 'RecordAccessed', 1, $2, now() - interval '1 day' + n * interval '1 millisecond',
    '{"kind":"read","day":"2026-11-21"}',
    '{"actor":{"kind":"checker","id":"eu-1"},"correlationId":"' || a || '","causationId":null,"commandId":"' || a
      || '","occurredAt":"2026-11-21T12:00:00.123Z"}'
  FROM generate_series(0, $1::bigint - 1) AS n, gen_random_uuid() AS a`;
