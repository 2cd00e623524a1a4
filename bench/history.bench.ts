import { openPool } from '../src/base/pool.ts';
import { LogSearcher } from '../src/log/search.ts';
import { type Bench, figure, median } from './support/bench.ts';

const EVENTS = 1_000_000;
const PROJECTS = 100;
const ROUNDS = 25;
const SCOPE = `project-${'1'.padStart(24, '0')}`;

/** A page of a project's history, out of a million events of a hundred projects: the newest, a filtered one, one in the middle. */
const bench: Bench = async ({ database, say }) => {
  const pool = openPool(await database(), { name: 'bench', max: 2 });
  const searcher = new LogSearcher(pool);
  const base = { before: EVENTS, after: -1, scope: SCOPE, types: [], stream: null, actors: [], direction: 'desc', limit: 101 } as const;
  const took = async (query: Parameters<LogSearcher['find']>[0]): Promise<number> => {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const began = performance.now();
      const found = await searcher.find(query);
      times.push(performance.now() - began);
      if (found.length !== query.limit) throw new Error(`${String(found.length)} events instead of ${String(query.limit)}`);
    }
    return median(times);
  };
  try {
    say(`${EVENTS.toLocaleString('en')} events ...`);
    await pool.query(SEED, [EVENTS, PROJECTS]);
    await pool.query('VACUUM ANALYZE log');
    const goal = { atMost: 10 };
    return [
      figure('history, the newest 100 of a project out of 1,000,000 events', await took(base), 'ms', { goal }),
      figure('history, 100 in the middle, oldest first', await took({ ...base, after: EVENTS / 2, direction: 'asc' }), 'ms', { goal }),
      figure('history, 100 of one type in twenty', await took({ ...base, types: ['PeriodChanged'] }), 'ms', { goal }),
      figure('history, the newest 100 of everything', await took({ ...base, scope: null }), 'ms', { goal }),
    ];
  } finally {
    await pool.end();
  }
};

export default bench;

const SEED = `
  INSERT INTO log (n, source_position, id, stream, revision, type, version, scope, recorded_at, data, meta)
  SELECT n, n::text, gen_random_uuid(), 'project-' || lpad(to_hex(n % $2), 24, '0'), n / $2,
    CASE WHEN (n / $2) % 20 = 7 THEN 'PeriodChanged' ELSE 'ProjectRenamed' END, 1, 'project-' || lpad(to_hex(n % $2), 24, '0'),
    '2026-11-01T12:00:00Z'::timestamptz + n * interval '997 microseconds',
    '{"from":"Title ' || n || '","to":"Title ' || n + 1 || '"}',
    '{"actor":{"kind":"user","id":"7"},"correlationId":"' || c || '","causationId":null,"commandId":"' || c
      || '","occurredAt":"2026-01-01T00:00:00.000Z"}'
  FROM generate_series(0, $1::bigint - 1) AS n, gen_random_uuid() AS c`;
