import { masterKeys } from '../test/support/master-keys.ts';
import { openPool } from '../src/platform/postgres/pool.ts';
import { PostgresKeyring } from '../src/platform/security/keyring/postgres-keyring.ts';
import { LocalWake } from '../src/platform/postgres/wake.ts';
import { type HistoryQuery, readHistoryQuery } from '../src/history/history-query.ts';
import { HistoryReading } from '../src/history/history-reading.ts';
import { NamesReader } from '../src/history/names-reader.ts';
import { csvOf, ndjsonOf } from '../src/history/tables.ts';
import { LogSearcher } from '../src/platform/log/search.ts';
import { PostgresLog } from '../src/platform/log/postgres-log.ts';
import { viewUnit } from '../src/platform/read-models/views/unit.ts';
import { UnitViews } from '../src/platform/read-models/views/unit-views.ts';
import { coreViews } from '../src/app/projection-table.ts';
import { type Bench, figure, median } from './support/bench.ts';
import { HeapWatch } from './support/heap.ts';
import { ensureViewTables, finishViewTables } from '../src/platform/read-models/views/view-tables.ts';
import { historyOperations } from '../src/history/history.api.ts';
import { readListRequest } from '../src/platform/http/lists/list-request.ts';

const EVENTS = 1_000_000;
const PROJECTS = 100;
const ROUNDS = 25;
const EXPORTED = 100_000;
const SCOPE = `project-${'1'.padStart(24, '0')}`;
const FIRST = Date.parse('2026-11-01T12:00:00Z');
/** The time at which the event of this position was recorded, in milliseconds. */
const at = (n: number): string => new Date(FIRST + Math.floor(n * 0.997)).toISOString();

function queryOf(given: Readonly<Record<string, string>>): HistoryQuery {
  const list = historyOperations['GET /history']?.list;
  if (list === undefined) throw new Error('the history is no list');
  return readHistoryQuery(given, readListRequest(list, given, []), '');
}

/** Pages of a project's history in a log of a million events of a hundred projects, and the whole history streamed. */
const bench: Bench = async ({ database, say }) => {
  const pool = openPool(await database(), { name: 'bench', max: 4, statementTimeoutMs: 0 });
  const log = new PostgresLog(pool, new LocalWake());
  const unit = viewUnit('core', coreViews);
  const views = new UnitViews(unit, log, pool, () => EVENTS);
  const searcher = new LogSearcher(pool);
  const reading = new HistoryReading(
    searcher,
    log,
    new NamesReader(views, new PostgresKeyring(pool, masterKeys(pool, Buffer.alloc(32, 1))), searcher),
  );
  const page = async (given: Readonly<Record<string, string>>, scope: string | null = SCOPE): Promise<number> => {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const began = performance.now();
      const { answer } = await reading.page(queryOf(given), scope);
      times.push(performance.now() - began);
      const { events } = answer as { readonly events: readonly object[] }; // as the history answers
      if (events.length !== 100) throw new Error(`${String(events.length)} events instead of 100`);
    }
    return median(times);
  };
  const streamed = async (write: typeof csvOf): Promise<{ readonly rate: number; readonly ofCpu: number; readonly grown: number }> => {
    const query = queryOf({ order: 'asc', to: at(EXPORTED) });
    const heap = new HeapWatch(25);
    let [events, bytes] = [0, 0];
    const counted = async function* () {
      for await (const batch of reading.batches(query, null)) {
        events += batch.length;
        yield batch;
      }
    };
    const [began, cpu] = [performance.now(), process.cpuUsage()];
    for await (const text of heap.watch(write(counted()))) bytes += text.length;
    if (events < EXPORTED || bytes < events * 100) throw new Error(`${String(events)} events in ${String(bytes)} characters`);
    const { user, system } = process.cpuUsage(cpu);
    return { rate: (events * 1_000) / (performance.now() - began), ofCpu: (events * 1e6) / (user + system), grown: heap.grown / 2 ** 20 };
  };
  try {
    say(`${EVENTS.toLocaleString('en')} events ...`);
    await pool.query(SEED, [EVENTS, PROJECTS]);
    await pool.query('VACUUM ANALYZE log');
    await ensureViewTables(pool, unit);
    await finishViewTables(pool, unit);
    const goal = { atMost: 10 };
    // Warm-up: the first pages include JIT compilation.
    await page({});
    const figures = [
      figure('history, the newest 100 of a project out of 1,000,000 events', await page({}), 'ms', { goal }),
      figure('history, 100 in the middle, oldest first', await page({ from: at(EVENTS / 2), order: 'asc' }), 'ms', { goal }),
      figure('history, 100 of one type in twenty', await page({ type: 'PeriodChanged' }), 'ms', { goal }),
      figure('history, the newest 100 of everything', await page({}, null), 'ms', { goal }),
    ];
    say(`${EXPORTED.toLocaleString('en')} of them streamed ...`);
    const [lines, csv] = [await streamed(ndjsonOf), await streamed(csvOf)];
    return [
      ...figures,
      figure('history streamed as lines', lines.rate, 'events/s', { goal: { atLeast: 20_000 } }),
      figure('history streamed as lines, by the CPU of the process', lines.ofCpu, 'events/s of CPU'),
      figure('history streamed as CSV', csv.rate, 'events/s', { goal: { atLeast: 20_000 } }),
      figure('history streamed as CSV, by the CPU of the process', csv.ofCpu, 'events/s of CPU'),
      figure('heap while history is streamed, grown by', Math.max(lines.grown, csv.grown), 'MiB', { goal: { atMost: 8 } }),
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
