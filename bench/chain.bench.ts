import { openPool } from '../src/platform/postgres/pool.ts';
import { LogSearcher } from '../src/platform/log/search.ts';
import { type Bench, figure, median } from './support/bench.ts';

const EVENTS = 1_000_000;
const LENGTH = 5;
const ROUNDS = 9;
const SCOPE = 'project-1';

/** The causes and consequences of an alert in a project with a million events. */
const bench: Bench = async ({ database, say }) => {
  const pool = openPool(await database(), { name: 'bench', max: 2, statementTimeoutMs: 0 });
  const searcher = new LogSearcher(pool);
  const timed = async (work: () => Promise<number>): Promise<number> => {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const began = performance.now();
      const found = await work();
      times.push(performance.now() - began);
      if (found !== LENGTH) throw new Error(`${String(found)} events in a chain of ${String(LENGTH)}`);
    }
    return median(times);
  };
  try {
    say(`${EVENTS.toLocaleString('en')} events of one project ...`);
    await pool.query(SEED, [EVENTS, LENGTH, SCOPE]);
    await pool.query('VACUUM ANALYZE log');
    const { rows } = await pool.query<{ id: string }>('SELECT id FROM log WHERE n = $1', [EVENTS / 2 + 3]);
    const id = rows[0]?.id ?? '';
    const chain = await timed(async () => (await searcher.chain(SCOPE, id)).length);
    const lookingThrough = await timed(async () => (await pool.query(LOOKING_THROUGH, [SCOPE, id])).rowCount ?? 0);
    return [
      figure('a chain in a project of 1,000,000 events', chain, 'ms', { goal: { atMost: 20 } }),
      figure('the same without an index', lookingThrough, 'ms'),
    ];
  } finally {
    await pool.end();
  }
};

export default bench;

const LOOKING_THROUGH = `
  SELECT * FROM log
  WHERE scope = $1 AND meta::json ->> 'correlationId' = (SELECT meta::json ->> 'correlationId' FROM log WHERE id = $2 AND scope = $1)
  ORDER BY n`;

/** Chains of `$2` events, each caused by the one before. */
const SEED = `
  INSERT INTO log (n, source_position, id, stream, revision, type, version, scope, recorded_at, data, meta)
  SELECT n, n::text, md5('event ' || n)::uuid, 'verdict-' || n % 50, n / 50, 'CheckSuspected', 1, $3::text,
    '2026-11-01T12:00:00Z'::timestamptz + n * interval '997 microseconds', '{"checkId":"' || n || '"}',
    '{"actor":{"kind":"checker","id":"eu"},"correlationId":"' || md5('event ' || n - n % $2)::uuid || '","causationId":'
      || CASE WHEN n % $2 = 0 THEN 'null' ELSE '"' || md5('event ' || n - 1)::uuid || '"' END
      || ',"commandId":"' || md5('command ' || n)::uuid || '","occurredAt":"2026-01-01T00:00:00.000Z"}'
  FROM generate_series(0, $1::bigint - 1) AS n`;
