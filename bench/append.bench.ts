import type pg from 'pg';
import { openPool } from '../src/platform/postgres/pool.ts';
import { LocalWake } from '../src/platform/postgres/wake.ts';
import { PostgresEventStore } from '../src/platform/event-store/postgres/postgres-event-store.ts';
import type { NewEvent } from '../src/kernel/event.ts';
import { randomId } from '../src/kernel/ids.ts';
import { type Bench, figure, inTurns, rate } from './support/bench.ts';

const SPAN_MS = 500;
const ROUNDS = 11;

/** Durable appends of one event, against a bare INSERT of the same row with one connection per writer. */
const bench: Bench = async ({ database }) => {
  const [url, bareUrl] = [await database(), await database()];
  const pool = openPool(url, { name: 'bench', max: 4 });
  const store = new PostgresEventStore(pool, new LocalWake());
  const barePool = openPool(bareUrl, { name: 'bench bare', max: 16 });
  await barePool.query('CREATE TABLE bare (LIKE log INCLUDING ALL)');
  await barePool.query('ALTER TABLE bare ALTER n ADD GENERATED ALWAYS AS IDENTITY');
  const clients = await Promise.all(Array.from({ length: 16 }, () => barePool.connect()));
  try {
    const rates = await inTurns(ROUNDS, {
      one: () => appends(store, 1),
      bareOne: () => inserts(clients, 1),
      sixteen: () => appends(store, 16),
      bareSixteen: () => inserts(clients, 16),
    });
    return [
      figure('appends, 1 writer', rates.one, 'events/s', { ceiling: rates.bareOne, goal: { ratio: 0.7 } }),
      figure('appends, 16 writers', rates.sixteen, 'events/s', { ceiling: rates.bareSixteen, goal: { ratio: 1.3 } }),
    ];
  } finally {
    for (const client of clients) client.release();
    await barePool.end();
    await pool.end();
  }
};

export default bench;

async function appends(store: PostgresEventStore, writers: number): Promise<number> {
  const streams = Array.from({ length: writers }, () => ({ name: `verdict-${randomId()}`, revision: -1 }));
  return rate(SPAN_MS, writers, async (writer) => {
    const stream = streams[writer] ?? { name: '', revision: -1 };
    const expected = stream.revision < 0 ? 'no stream' : stream.revision;
    const result = await store.append(stream.name, expected, [event()]);
    if (result.kind === 'conflict') throw new Error('unexpected conflict: this bench is the only writer');
    stream.revision = result.revision;
  });
}

async function inserts(clients: readonly pg.PoolClient[], writers: number): Promise<number> {
  const streams = clients.map(() => ({ name: `verdict-${randomId()}`, revision: -1 }));
  return rate(SPAN_MS, writers, async (writer) => {
    const stream = streams[writer] ?? { name: '', revision: -1 };
    const { id, type, version, scope, data, meta } = event();
    await clients[writer]?.query({
      name: 'bare',
      text: `INSERT INTO bare (source_position, id, stream, revision, type, version, scope, recorded_at, data, meta)
             VALUES ('', $1, $2, $3, $4, $5, $6, clock_timestamp(), $7, $8)`,
      values: [id, stream.name, ++stream.revision, type, version, scope, JSON.stringify(data), JSON.stringify(meta)],
    });
  });
}

function event(): NewEvent {
  const commandId = randomId();
  return {
    id: randomId(),
    type: 'CheckFailed',
    version: 1,
    scope: 'project-5f1c2b9f6a3f5d0e9b0e4d8a',
    data: { checkId: '5f1c2b9f6a3f5d0e9b0e4d8b', failing: ['status eq 200'], from: 'ok', to: 'error', runId: commandId },
    meta: {
      actor: { kind: 'checker', id: 'eu-1' },
      correlationId: commandId,
      causationId: commandId,
      commandId,
      occurredAt: '2026-11-21T12:00:00.000Z',
    },
  };
}
