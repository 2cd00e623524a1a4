import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { PostgresEventStore } from '../src/platform/event-store/postgres/postgres-event-store.ts';
import { randomId } from '../src/kernel/ids.ts';
import { PostgresLog } from '../src/platform/log/postgres-log.ts';
import { openPool } from '../src/platform/postgres/pool.ts';
import { LocalWake } from '../src/platform/postgres/wake.ts';
import { PostgresWake } from '../src/platform/postgres/wake-postgres.ts';
import { SseParser } from '../src/client/live-stream.ts';
import { ADMIN, json, withService } from './support/bench-service.ts';
import { type Bench, figure, inTurns, percentile } from './support/bench.ts';
import { failure, seedFailures } from './support/failures.ts';
import { processSeconds } from './support/processor.ts';
import type { Program } from './support/program.ts';

const EVENTS = 200_000;
const CHECKS = 2_000;
const ROUNDS = 5;
const LIVE = 300;
const LIVE_PAUSE_MS = 10;
const LINE_FEED = 10;
const MOST_SECONDS = 120;
/** Of a core. */
const IDLE_SHARE = 0.05;

const pause = (milliseconds: number): Promise<void> => new Promise((done) => setTimeout(done, milliseconds));

/** The whole log to one client of the feed, against reading it in process; then single events, from before their append to the client. */
const bench: Bench = async (tools) => {
  const seeded = async (): Promise<string> => {
    const url = await tools.database();
    tools.say(`writing ${EVENTS.toLocaleString('en')} events ...`);
    const pool = openPool(url, { name: 'bench', max: 1, statementTimeoutMs: 0 });
    await seedFailures(pool, EVENTS, CHECKS);
    await pool.end();
    return url;
  };
  return withService({ ...tools, database: seeded }, async (service, url) => {
    const token = await json(`${service.address}/api/authenticate`, ADMIN);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const feed = `${service.address}/api/events`;
    const open = (accept: string, query: string): Promise<IncomingMessage> =>
      opened(`${feed}?${query}`, agent, { authorization: `Bearer ${token}`, accept });
    try {
      await sealed(service.address);
      await untilIdle(service);
      let spent = 0;
      const rates = await inTurns(ROUNDS, {
        inProcess: () => perSecond(() => readInProcess(url)),
        lines: async () => {
          const before = processSeconds(service.pid);
          const rate = await perSecond(async () => countLines(await open('application/x-ndjson', 'after=-1')));
          spent += processSeconds(service.pid) - before;
          return rate;
        },
        pages: () => perSecond(() => readPages(open)),
      });
      tools.say(`${LIVE.toLocaleString('en')} single events ...`);
      const delays = await liveDelays(service, url, token);
      return [
        figure('events to one client as lines, against reading the log in process', rates.lines, 'events/s', {
          ceiling: rates.inProcess,
          goal: { atLeast: 50_000 },
        }),
        figure('the same, its ratio', rates.lines, 'events/s', { ceiling: rates.inProcess, goal: { ratio: 0.5 } }),
        figure('the same by the CPU of the service', (EVENTS * ROUNDS) / spent, 'events/s of CPU'),
        figure('events to one client in pages of 1,000, one after the other', rates.pages, 'events/s', { ceiling: rates.inProcess }),
        figure('from before the append of an event to the client of the stream, p50', percentile(delays, 0.5), 'ms'),
        figure('from before the append of an event to the client of the stream, p99', percentile(delays, 0.99), 'ms', {
          goal: { atMost: 50 },
        }),
      ];
    } finally {
      agent.destroy();
    }
  });
};

export default bench;

function opened(url: string, agent: Agent, headers: Readonly<Record<string, string>>): Promise<IncomingMessage> {
  return new Promise((done, failed) => {
    get(url, { agent, headers }, (response) => {
      if (response.statusCode === 200) done(response);
      else failed(new Error(`${url} answered ${String(response.statusCode)}`));
    }).once('error', failed);
  });
}

/** Process managers also follow what was written before the start. */
async function untilIdle({ pid }: Program): Promise<void> {
  for (let [seconds, used] = [0, 1]; seconds < MOST_SECONDS && used > IDLE_SHARE; seconds++) {
    const before = processSeconds(pid);
    await pause(1_000);
    used = processSeconds(pid) - before;
  }
}

/** Sealing what was written before the start is no part of the measurement. */
async function sealed(address: string): Promise<void> {
  for (let size = 0; size < EVENTS; await pause(200))
    size = Number((await json(`${address}/api/ledger/checkpoint`, null)).split('\n')[1] ?? 0) || 0;
}

async function perSecond(read: () => Promise<number>): Promise<number> {
  const began = performance.now();
  const events = await read();
  if (events < EVENTS) throw new Error(`${String(events)} events instead of ${String(EVENTS)}`);
  return (events * 1_000) / (performance.now() - began);
}

async function readInProcess(url: string): Promise<number> {
  const pool = openPool(url, { name: 'bench', max: 4 });
  const stop = new AbortController();
  let count = 0;
  for await (const page of new PostgresLog(pool, new LocalWake()).follow(-1, stop.signal))
    if ((count += page.length) >= EVENTS) stop.abort();
  await pool.end();
  return count;
}

async function countLines(response: IncomingMessage): Promise<number> {
  let lines = 0;
  response.on('data', (chunk: Buffer) => {
    for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, at + 1)) lines++;
  });
  await once(response, 'end');
  return lines;
}

async function readPages(open: (accept: string, query: string) => Promise<IncomingMessage>): Promise<number> {
  let count = 0;
  for (let after = '-1'; ;) {
    const chunks: Buffer[] = [];
    for await (const chunk of await open('application/json', `after=${after}&limit=1000`)) chunks.push(chunk as Buffer);
    const page = JSON.parse(Buffer.concat(chunks).toString()) as { readonly events: readonly object[]; readonly position: string };
    if (page.events.length === 0) return count;
    count += page.events.length;
    after = page.position;
  }
}

/** Milliseconds from before the append of each event, by another process, until the client has it. */
async function liveDelays({ address }: Program, url: string, token: string): Promise<readonly number[]> {
  const [pool, wake, agent] = [openPool(url, { name: 'bench', max: 2 }), new PostgresWake(url), new Agent()];
  const store = new PostgresEventStore(pool, wake);
  const stream = await opened(`${address}/api/events?after=now`, agent, { authorization: `Bearer ${token}`, accept: 'text/event-stream' });
  const received = new Map<string, number>();
  const parser = new SseParser(undefined);
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    for (const { data } of parser.take(chunk)) received.set((JSON.parse(data) as { readonly id: string }).id, performance.now());
  });
  const delays: number[] = [];
  try {
    for (let count = 0; count < LIVE; count++, await pause(LIVE_PAUSE_MS)) {
      const event = failure(randomId(), count);
      const began = performance.now();
      await store.append(`live-${String(count)}`, 'no stream', [event]);
      while (!received.has(event.id) && performance.now() - began < 5_000) await pause(1);
      delays.push((received.get(event.id) ?? Infinity) - began);
    }
    return delays;
  } finally {
    agent.destroy();
    await store.close();
    await wake.close();
    await pool.end();
  }
}
