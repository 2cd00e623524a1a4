import { openPool } from '../src/platform/postgres/pool.ts';
import { LocalWake } from '../src/platform/postgres/wake.ts';
import { PostgresLog } from '../src/platform/log/postgres-log.ts';
import { type Bench, figure, inTurns } from './support/bench.ts';

const EVENTS = 150_000;
const PAGE = 2_000;
const ROUNDS = 5;

/** Reading and parsing the whole log, against the same rows as plain text: the ceiling of Postgres and its protocol. */
const bench: Bench = async ({ database, say }) => {
  const url = await database();
  const pool = openPool(url, { name: 'bench', max: 4 });
  const log = new PostgresLog(pool, new LocalWake());
  try {
    say(`writing ${EVENTS.toLocaleString('en')} events ...`);
    await pool.query(SEED, [EVENTS]);
    await pool.query('VACUUM ANALYZE log');
    const rates = await inTurns(ROUNDS, {
      follow: () => perSecond(() => follow(log)),
      pages: () => perSecond(() => pages(log)),
      text: () => perSecond(() => text(pool)),
      rows: () => perSecond(() => rows(pool)),
    });
    return [
      figure('read and parse, followed', rates.follow, 'events/s', { ceiling: rates.text, goal: { atLeast: 250_000 } }),
      figure('read and parse, followed, by the CPU of the reader', await perCpuSecond(() => follow(log)), 'events/s of CPU'),
      figure('read and parse, page by page', rates.pages, 'events/s', { ceiling: rates.text }),
      figure('read and parse as rows of eleven columns', rates.rows, 'events/s', { ceiling: rates.text }),
    ];
  } finally {
    await pool.end();
  }
};

export default bench;

async function perSecond(read: () => Promise<number>): Promise<number> {
  const began = performance.now();
  const events = await read();
  if (events !== EVENTS) throw new Error(`read ${String(events)} of ${String(EVENTS)} events`);
  return (events * 1_000) / (performance.now() - began);
}

/** Events per second of CPU, which other load on the machine disturbs less than wall time. */
async function perCpuSecond(read: () => Promise<number>): Promise<number> {
  const before = process.cpuUsage();
  const events = await read();
  const { user, system } = process.cpuUsage(before);
  return (events * 1_000_000) / (user + system);
}

async function follow(log: PostgresLog): Promise<number> {
  const stop = new AbortController();
  let count = 0;
  for await (const page of log.follow(-1, stop.signal, PAGE)) {
    count += page.length;
    if (count >= EVENTS) stop.abort();
  }
  return count;
}

async function pages(log: PostgresLog): Promise<number> {
  let after = -1;
  for (;;) {
    const last = (await log.read({ after, limit: PAGE })).at(-1);
    if (last === undefined) return after + 1;
    after = last.n;
  }
}

interface Database {
  query<Row extends object>(query: object): Promise<{ rows: Row[] }>;
}

async function text(pool: Database): Promise<number> {
  let length = 0;
  for (let after = -1; after < EVENTS - 1; after += PAGE) {
    const { rows: found } = await pool.query<{ text: string }>({
      name: 'text',
      text: `SELECT string_agg(data || meta, ',') AS text FROM (SELECT * FROM log WHERE n > $1 ORDER BY n LIMIT $2) AS l`,
      values: [after, PAGE],
    });
    length += found[0]?.text.length ?? 0;
  }
  if (length < EVENTS * 300) throw new Error('the text of the events did not arrive');
  return EVENTS;
}

async function rows(pool: Database): Promise<number> {
  let count = 0;
  for (let after = -1; after < EVENTS - 1; after += PAGE) {
    const { rows: found } = await pool.query<{ data: string; meta: string; data_: unknown; meta_: unknown }>({
      name: 'rows',
      text: 'SELECT *, recorded_at::text AS moment FROM log WHERE n > $1 ORDER BY n LIMIT $2',
      values: [after, PAGE],
    });
    for (const row of found) {
      row.data_ = JSON.parse(row.data);
      row.meta_ = JSON.parse(row.meta);
    }
    count += found.length;
  }
  return count;
}

/** Events as a checker writes them, about 430 bytes of JSON each. */
const SEED = `
  INSERT INTO log (n, source_position, id, stream, revision, type, version, scope, recorded_at, data, meta)
  SELECT n, n::text, gen_random_uuid(), 'verdict-' || lpad(to_hex(n % 2000), 24, '0'), n / 2000, 'CheckFailed', 1,
    'project-' || lpad(to_hex(n % 200), 24, '0'), '2026-11-21T12:00:00Z'::timestamptz + n * interval '997 microseconds',
    '{"checkId":"' || lpad(to_hex(n % 2000), 24, '0') || '","failing":["status eq 200"],"from":"ok","to":"error","runId":"' || a
      || '","at":"2026-11-21T12:00:00.123Z"}',
    '{"actor":{"kind":"checker","id":"eu-1"},"correlationId":"' || a || '","causationId":"' || b || '","commandId":"' || c
      || '","occurredAt":"2026-11-21T12:00:00.123Z"}'
  FROM generate_series(0, $1::bigint - 1) AS n, gen_random_uuid() AS a, gen_random_uuid() AS b, gen_random_uuid() AS c`;
