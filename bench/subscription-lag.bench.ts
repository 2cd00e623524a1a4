import { openPool } from '../src/platform/postgres/pool.ts';
import { ADMIN, json, withService } from './support/bench-service.ts';
import { type Bench, figure, median } from './support/bench.ts';
import { createReadProjects, READ_PROJECTS } from './support/read-projects.ts';
import { steadyReads } from './support/steady-reads.ts';

const BEHIND = 1_000_000;
const ROUNDS = 5;

/** What others notice of a subscription that is a million events behind, while its consumer takes them as fast as it gets them. */
const bench: Bench = async (tools) => {
  const seeded = async (): Promise<string> => {
    const url = await tools.database();
    tools.say(`writing ${BEHIND.toLocaleString('en')} events ...`);
    const pool = openPool(url, { name: 'bench', max: 1, statementTimeoutMs: 0 });
    await pool.query(SEED, [BEHIND]);
    await pool.query('VACUUM ANALYZE log');
    await pool.end();
    return url;
  };
  return withService({ ...tools, database: seeded }, async ({ address }) => {
    const token = await json(`${address}/api/authenticate`, ADMIN);
    await sealed(address);
    const urls = await createReadProjects(address, token);
    for (const [name, settings] of Object.entries({ none: { filter: { types: ['ProjectDeleted'] } }, all: { partition: 'none' } }))
      await fetch(`${address}/api/subscriptions/${name}`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(settings),
      });
    await steadyReads(urls, token);
    const quiet: number[] = [];
    const busy: Record<'none' | 'all', number[]> = { none: [], all: [] };
    for (let round = 0; round < ROUNDS; round++) {
      quiet.push(await steadyReads(urls, token));
      for (const name of ['none', 'all'] as const) {
        const consumer = new AbortController();
        const consumed = consume(`${address}/api/subscriptions/${name}`, token, consumer.signal);
        busy[name].push(await steadyReads(urls, token));
        consumer.abort();
        tools.say(`${String(await consumed)} reads of ${name}`);
      }
    }
    const without = median(quiet);
    return [
      figure('GET /project/{id}, 99 of 100, while nothing is read', without, 'ms'),
      figure('while a subscription searches a million events for some that are not there', median(busy.none), 'ms', {
        ceiling: without,
        goal: { ratioAtMost: 1.2 },
      }),
      figure('while a subscription that is a million events behind is read without a pause', median(busy.all), 'ms', {
        ceiling: without,
        goal: { ratioAtMost: 1.2 },
      }),
    ];
  });
};

export default bench;

/** Sealing what was written before is no part of the measurement. */
async function sealed(address: string): Promise<void> {
  for (let size = 0; size < BEHIND; await new Promise((again) => setTimeout(again, 500)))
    size = Number((await json(`${address}/api/ledger/checkpoint`, null)).split('\n')[1] ?? 0) || 0;
}

interface Page {
  readonly deliveries: readonly { readonly token: string }[];
  readonly position: string;
  readonly head: string;
}

/** From the beginning again and again; the number of reads. */
async function consume(subscription: string, token: string, signal: AbortSignal): Promise<number> {
  const post = async (action: string, body: object): Promise<Page> =>
    JSON.parse(await json(`${subscription}/${action}`, body, token)) as Page;
  for (let reads = 0; ; reads++) {
    if (signal.aborted) return reads;
    const { deliveries, position, head } = await post('read', { consumer: 'bench' });
    if (deliveries.length > 0) await post('ack', { tokens: deliveries.map((one) => one.token) });
    else if (Number(position) + READ_PROJECTS >= Number(head)) await post('reset', { to: '-1' });
  }
}

/** Events that no read model folds. */
const SEED = `
  INSERT INTO log (n, source_position, id, stream, revision, type, version, scope, recorded_at, data, meta)
  SELECT n, n::text, gen_random_uuid(), 'seed-' || n % 2000, n / 2000, 'RecordAccessed', 1, 'project-' || lpad(to_hex(n % 2000), 24, '0'),
    now() - interval '1 day' + n * interval '1 millisecond',
    '{"kind":"read","day":"2026-11-21","filling":"' || repeat('x', 120) || '"}',
    '{"actor":{"kind":"checker","id":"eu-1"},"correlationId":"' || a || '","causationId":null,"commandId":"' || a
      || '","occurredAt":"2026-11-21T12:00:00.123Z"}'
  FROM generate_series(0, $1::bigint - 1) AS n, gen_random_uuid() AS a`;
