import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { sampleEvent } from '../test/support/kurrentdb-double/sample-events.ts';
import { openPool } from '../src/platform/postgres/pool.ts';
import { PostgresLeases } from '../src/platform/postgres/postgres-leases.ts';
import { LocalWake } from '../src/platform/postgres/wake.ts';
import { KurrentDbEventStore } from '../src/platform/event-store/kurrentdb/kurrentdb-event-store.ts';
import { randomId } from '../src/kernel/ids.ts';
import { Mirror } from '../src/platform/log/mirror.ts';
import { PostgresLog } from '../src/platform/log/postgres-log.ts';
import { type Bench, figure, inTurns, rate } from './support/bench.ts';

const EVENTS = 20_000;
const AN_APPEND = 500;
const SPAN_MS = 1_000;

/** The kurrentdb engine: appends, and filling the log mirror against only reading the subscription. */
const bench: Bench = async ({ database, say }) => {
  const server = await serverOf(process.env['EVENTSTORE_URL'], say);
  const store = new KurrentDbEventStore(server.url);
  try {
    const last = await fill(store);
    const rates = await inTurns(3, {
      follow: () => following(store, last),
      mirror: async () => mirroring(store, last, await database()),
      one: () => appends(store, 1),
      sixteen: () => appends(store, 16),
    });
    return [
      figure('log filled from the event store', rates.mirror, 'events/s', { ceiling: rates.follow }),
      figure('appends to the event store, 1 writer', rates.one, 'events/s'),
      figure('appends to the event store, 16 writers', rates.sixteen, 'events/s'),
    ];
  } finally {
    await store.close();
    server.stop();
  }
};

export default bench;

async function serverOf(
  named: string | undefined,
  say: (line: string) => void,
): Promise<{ readonly url: string; readonly stop: () => void }> {
  say(named === undefined ? 'against the double' : 'against the server in EVENTSTORE_URL');
  if (named !== undefined) return { url: named, stop: () => undefined };
  const double = fork(join(import.meta.dirname, 'support/double.mjs'));
  const [url] = (await once(double, 'message')) as [string];
  const stop = (): void => {
    double.disconnect();
  };
  return { url, stop };
}

async function fill(store: KurrentDbEventStore): Promise<string> {
  const stream = `bench-${randomId()}`;
  let position = '';
  for (let from = 0; from < EVENTS; from += AN_APPEND) {
    const events = Array.from({ length: AN_APPEND }, (_, index) => sampleEvent(stream, from + index));
    const result = await store.append(stream, from === 0 ? 'no stream' : from - 1, events);
    if (result.kind === 'appended') position = result.place.position;
  }
  return position;
}

async function following(store: KurrentDbEventStore, last: string): Promise<number> {
  const started = performance.now();
  let events = 0;
  for await (const batch of store.follow(null, new AbortController().signal)) {
    events += batch.length;
    if ((batch.at(-1)?.position ?? '') >= last) break;
  }
  return (events * 1000) / (performance.now() - started);
}

async function mirroring(store: KurrentDbEventStore, last: string, url: string): Promise<number> {
  const wake = new LocalWake();
  const pool = openPool(url, { name: 'bench', synchronousCommit: false });
  const leases = new PostgresLeases(url, wake);
  const report = (error: unknown): never => {
    throw error;
  };
  const mirror = new Mirror({ source: store, pool, wake, leases, report });
  const started = performance.now();
  mirror.start();
  const n = await new PostgresLog(pool, wake).locate(last, Date.now() + 60_000);
  const took = performance.now() - started;
  await mirror.close();
  await leases.close();
  await pool.end();
  return ((n + 1) * 1000) / took;
}

async function appends(store: KurrentDbEventStore, writers: number): Promise<number> {
  const streams = Array.from({ length: writers }, () => ({ name: `bench-${randomId()}`, revision: -1 }));
  return rate(SPAN_MS, writers, async (writer) => {
    const stream = streams[writer] ?? { name: '', revision: -1 };
    const expected = stream.revision < 0 ? 'no stream' : stream.revision;
    const result = await store.append(stream.name, expected, [sampleEvent(stream.name, stream.revision + 1)]);
    if (result.kind === 'conflict') throw new Error('unexpected conflict: this bench is the only writer');
    stream.revision = result.revision;
  });
}
