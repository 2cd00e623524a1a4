import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:http';
import { AddDestination, ReplayDestination } from '../src/commands/destination.commands.ts';
import { systemContext } from '../src/commands/context.ts';
import { loadConfig } from '../src/config.ts';
import { randomId } from '../src/kernel/ids.ts';
import { Lifecycle } from '../src/kernel/lifecycle.ts';
import { createLogger } from '../src/telemetry/logging/logger.ts';
import { destinationsLoop } from '../src/app/destinations.ts';
import { longRunningParts } from '../src/app/long-running-parts.ts';
import { openParts, type Parts } from '../src/app/parts.ts';
import { samples } from '../test/samples/samples.ts';
import { until } from '../test/support/until.ts';
import { type Bench, figure, inTurns } from './support/bench.ts';
import { postgresSeconds, spentSince } from './support/processor.ts';

const EVENTS = 20_000;
const APPENDED_AT_ONCE = 200;
const ROUNDS = 3;
const PROJECT = 'a'.repeat(24);
const SCOPE = `project-${PROJECT}`;

/** Events of one project pushed to a receiver in the same process, against a loop that posts the same bodies one after the other. */
const bench: Bench = async ({ database, say }) => {
  const url = await database();
  const receiver = await startCountingReceiver();
  const env = {
    DATABASE_URL: url,
    MASTER_KEY: randomBytes(32).toString('hex'),
    ALLOW_HOOKS: '127.0.0.0/8',
    LOG_LEVEL: 'silent',
    ROLES: 'projector',
  };
  const config = loadConfig(env, import.meta.dirname);
  const parts = await openParts(config, url, await createLogger(config));
  const lifecycle = new Lifecycle().add(...longRunningParts(config, parts));
  await lifecycle.start();
  const loop = destinationsLoop(config, parts);
  try {
    await fill(parts);
    const context = () => systemContext({ kind: 'user', id: '1' }, Date.now());
    const settings = { kind: 'webhook', name: 'bench', host: receiver.url, values: { url: receiver.url } } as const;
    const wanted = { ...settings, filter: { types: ['CheckFailed'], scopes: null }, after: -1, by: 1 };
    const { destinationId } = await parts.commands.execute(new AddDestination(context(), PROJECT, wanted));
    const received = async (): Promise<number> => {
      const began = performance.now();
      await until(() => Promise.resolve(receiver.events >= EVENTS), 120_000, 'all events');
      return (EVENTS * 1_000) / (performance.now() - began);
    };
    loop.start();
    await received();
    const bodies = [...receiver.bodies];
    say(`${String(bodies.length)} batches, ${String(Math.round(bodies.join('').length / EVENTS))} bytes an event`);
    let [cpu, postgres] = [0, 0];
    const speeds = await inTurns(ROUNDS, {
      pushed: async () => {
        receiver.clear();
        const [own, inPostgres] = [process.cpuUsage(), await postgresSeconds(parts.pool)];
        await parts.commands.execute(new ReplayDestination(context(), PROJECT, { destinationId, after: -1, scope: null, by: 1 }));
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
    return [
      figure('events pushed to one destination, and by a loop that posts the same bodies', speeds.pushed, 'events/s', {
        ceiling: speeds.loop,
        goal: { atLeast: 5_000 },
      }),
      figure('processor of the service and the receiver for it', cpu / all, 'µs an event'),
      figure('processor of Postgres for it', (postgres * 1e6) / all, 'µs an event'),
    ];
  } finally {
    await loop.close();
    await lifecycle.close();
    await parts.close();
    await receiver.close();
  }
};
export default bench;

/** A project of user 1 with failures, in appends of many events. */
async function fill({ store, readYourWrites, pool }: Parts): Promise<void> {
  const sample = samples(PROJECT);
  let position = '0';
  const append = async (stream: string, type: 'ProjectCreated' | 'CheckFailed', count: number): Promise<void> => {
    const events = Array.from({ length: count }, () => {
      const [id, commandId] = [randomId(), randomId()];
      const meta = {
        actor: { kind: 'checker', id: 'bench' },
        correlationId: id,
        causationId: null,
        commandId,
        occurredAt: new Date().toISOString(),
      } as const;
      return { id, type, version: 1, scope: SCOPE, meta, data: sample[type] };
    });
    const result = await store.append(stream, 'no stream', events);
    if (result.kind === 'appended') ({ position } = result.place);
  };
  await append(SCOPE, 'ProjectCreated', 1);
  for (let at = 0; at < EVENTS; at += APPENDED_AT_ONCE) await append(`bench-${String(at)}`, 'CheckFailed', APPENDED_AT_ONCE);
  await readYourWrites.waitUntilVisible([{ position }], Date.now() + 60_000);
  // As autovacuum does within a minute.
  await pool.query('ANALYZE');
}

interface CountingReceiver {
  readonly url: string;
  readonly bodies: readonly string[];
  readonly events: number;
  clear(): void;
  close(): Promise<void>;
}

/** Counts events by what each batch says of itself. */
async function startCountingReceiver(): Promise<CountingReceiver> {
  let [bodies, events]: [string[], number] = [[], 0];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      events += Number(/"events":(\d+)/.exec(body)?.[1] ?? 0);
      bodies.push(body);
      response.end();
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
