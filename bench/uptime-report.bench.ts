import type pg from 'pg';
import { openPool } from '../src/platform/postgres/pool.ts';
import { PostgresWake } from '../src/platform/postgres/wake-postgres.ts';
import { CloseDay, CloseDayHandler } from '../src/watches/observation.commands.ts';
import { systemContext } from '../src/platform/commands/context.ts';
import { CommandRunner } from '../src/platform/commands/command-runner.ts';
import { uptimeTotals } from '../src/platform/observations/samples/report.ts';
import { REACH, timeline } from '../src/platform/observations/samples/timeline.ts';
import { PostgresEventStore } from '../src/platform/event-store/postgres/postgres-event-store.ts';
import { systemClock } from '../src/kernel/clock.ts';
import { PostgresLog } from '../src/platform/log/postgres-log.ts';
import { ClosedBooks } from '../src/platform/observations/closed-days/closed-books.ts';
import { utcDay } from '../src/platform/observations/closed-days/day-intervals.codec.ts';
import { DAY_MS } from '../src/kernel/time.ts';
import { PackCompactor } from '../src/platform/observations/packs/pack-compactor.ts';
import { PostgresSamples, sampleKind } from '../src/platform/observations/samples/postgres-samples.ts';
import type { Sample } from '../src/platform/observations/samples/sample.ts';
import { viewUnit } from '../src/platform/read-models/views/unit.ts';
import { viewLifecycle } from '../src/platform/read-models/views/view-lifecycle.ts';
import { UnitViews } from '../src/platform/read-models/views/unit-views.ts';
import { ReadYourWrites } from '../src/platform/read-models/engine/read-your-writes.ts';
import { coreViews } from '../src/app/projection-table.ts';
import { ResponseTimesReader } from '../src/watches/response-times/response-times.reader.ts';
import { UptimeReader } from '../src/watches/uptime/uptime.reader.ts';
import { booksOf, neededFor } from '../src/watches/days/day-books.ts';
import { type Bench, figure, median } from './support/bench.ts';
import { siteSamples } from './support/site-samples.ts';

const SITE = '0123456789abcdef01234567';
const START = Date.UTC(2025, 0, 1);
const DAYS = 365;
/** Noon of the day after, so that half a day is not closed yet. */
const NOW = START + DAYS * DAY_MS + DAY_MS / 2;

/** The report of a year at 15 s from closed days and the open rest, against the same from all samples. */
const bench: Bench = async ({ database, say }) => {
  const url = await database();
  const pool = openPool(url, { name: 'bench', max: 6, statementTimeoutMs: 0 });
  const wake = new PostgresWake(url);
  const log = new PostgresLog(pool, wake);
  const unit = viewUnit('core', coreViews);
  const readYourWrites = new ReadYourWrites({ schema: unit.schema, db: pool, log, wake, clock: systemClock });
  const stop = new AbortController();
  const running = viewLifecycle({
    unit,
    log,
    db: pool,
    wake,
    readYourWrites,
    report: (problem) => {
      say(String(problem));
    },
  }).run(stop.signal);
  try {
    await readYourWrites.start();
    const sizes = await measureAndClose(pool, new PostgresEventStore(pool, wake), say);
    await readYourWrites.waitUntilVisible([], Date.now() + 60_000);
    const head = await log.head();
    while (readYourWrites.position() < head) await new Promise((again) => setTimeout(again, 50));
    await pool.query('ANALYZE');
    const views = new UnitViews(unit, log, pool, () => readYourWrites.position());
    const store = new PostgresSamples(pool);
    const reports = new UptimeReader(views, store);
    const times = new ResponseTimesReader(views, store, new ClosedBooks(pool));
    const request = { from: NOW - DAYS * DAY_MS, to: NOW, now: NOW, offsetMinutes: 330, excluded: [] };
    const raw = async () => uptimeTotals(timeline(await store.outcomes(SITE, request.from - REACH, request.to + REACH), request), request);
    const quick = () => reports.totals(SITE, request);
    if (JSON.stringify(await raw()) !== JSON.stringify(await quick())) throw new Error('the report is not what the samples say');
    const report = await took(61, quick);
    // Folded anew in each round, as a request does it.
    const asOf = () => {
      const then = views.asOf(head);
      const reader = new UptimeReader({ now: () => then, asOf: () => then, snapshot: (work) => work(then) }, store);
      return reader.totals(SITE, { ...request, recordedUntil: NOW });
    };
    if (JSON.stringify(await asOf()) !== JSON.stringify(await quick())) throw new Error('the report as of its end is another one');
    const cpu = process.cpuUsage();
    const folded = await took(31, asOf);
    const { user, system } = process.cpuUsage(cpu);
    const slow = await took(3, raw);
    const week = await took(61, () => times.between(SITE, { from: NOW - 7 * DAY_MS - 777, to: NOW, resolutionMs: 1_000_000 }));
    say(`a year is ${String((await store.outcomes(SITE, request.from, request.to)).length)} samples`);
    return [
      figure('uptime report of a year at 15 s', report, 'ms', { ceiling: slow, goal: { atMost: 5 } }),
      figure('the same with ?asOf=, of all events of that year', folded, 'ms', { ceiling: report, goal: { atMost: 60 } }),
      figure('?asOf=, by the CPU of the process', (user + system) / 1_000 / (31 + 16), 'ms'),
      figure('times faster than from all samples', slow / report, 'times', { goal: { atLeast: 200 } }),
      figure('response times of 7 days', week, 'ms', { goal: { atMost: 15 } }),
      figure('a closed day, both events', Math.max(...sizes), 'bytes', { goal: { atMost: 6 * 1024 } }),
    ];
  } finally {
    stop.abort();
    await running;
    await readYourWrites.close();
    await wake.close();
    await pool.end();
  }
};

export default bench;

/** Generates one day at a time, so that a year of samples does not burden the measured heap. */
async function measureAndClose(pool: pg.Pool, events: PostgresEventStore, say: (line: string) => void): Promise<readonly number[]> {
  const repacking = new PackCompactor(pool, sampleKind);
  const closing = new CloseDayHandler(new CommandRunner(events));
  const books = new ClosedBooks(pool);
  const sizes: number[] = [];
  const ofDay = (at: number): Sample[] => siteSamples(at, Math.min(at + DAY_MS, NOW), 15, 7 + (at - START) / DAY_MS);
  let [before, today]: [Sample[], Sample[]] = [[], ofDay(START)];
  for (let at = START; at <= NOW; at += DAY_MS) {
    const day = utcDay(at);
    const after = ofDay(at + DAY_MS);
    await repacking.write(SITE, today);
    if (at + DAY_MS > NOW) break;
    const { from, to } = neededFor(day);
    const near = [...before, ...today, ...after].filter((sample) => sample.at >= from && sample.at < to);
    const { uptime, responseTimes, sketched } = booksOf(SITE, day, near);
    await closing.execute(
      new CloseDay(systemContext({ kind: 'reactor', id: 'bench' }, NOW), { projectId: SITE, books: { uptime, responseTimes } }),
    );
    await books.mark(day, [{ projectId: SITE, sha256: uptime.sha256, buckets: sketched }]);
    sizes.push(JSON.stringify(uptime).length + JSON.stringify(responseTimes).length);
    if (day.endsWith('-01')) say(`${day} closed`);
    [before, today] = [today, after];
  }
  return sizes;
}

/** The median of this many warm rounds, in milliseconds. */
async function took(rounds: number, work: () => Promise<unknown>): Promise<number> {
  for (let round = 0; round < rounds / 2; round++) await work();
  const spent: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const begun = performance.now();
    await work();
    spent.push(performance.now() - begun);
  }
  return median(spent);
}
