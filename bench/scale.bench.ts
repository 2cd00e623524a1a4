import { CloseDay, CloseDayHandler } from '../src/watches/observation.commands.ts';
import { CommandRunner } from '../src/platform/commands/command-runner.ts';
import { LOOK_BACK } from '../src/checker/instability.ts';
import { PostgresEventStore } from '../src/platform/event-store/postgres/postgres-event-store.ts';
import { ClosedBooks } from '../src/platform/observations/closed-days/closed-books.ts';
import { DayPartitions } from '../src/platform/observations/packs/day-partitions.ts';
import { PackCompactor } from '../src/platform/observations/packs/pack-compactor.ts';
import { HOUR_MS } from '../src/kernel/time.ts';
import { PostgresSamples, sampleKind } from '../src/platform/observations/samples/postgres-samples.ts';
import { openPool } from '../src/platform/postgres/pool.ts';
import { LocalWake } from '../src/platform/postgres/wake.ts';
import { DayClosing } from '../src/watches/days/day-closing.ts';
import { planOfOneChecker } from './scale/plan.ts';
import { flushAll, inShard, OWNED_SHARDS, sitesOfOneChecker, writeHours } from './scale/synthetic-sites.ts';
import { type Bench, type Figure, figure } from './support/bench.ts';
import { postgresSeconds, spentSince } from './support/processor.ts';

/** `SCALE_SIZES=8000,100000` for a try. */
const SIZES = (process.env['SCALE_SIZES'] ?? '8000,100000,400000').split(',').map(Number);
const GOAL = { ratioAtMost: 1.3 } as const;
const DAY = 24 * HOUR_MS;
const TAIL_MS = 600_000;
const READS = 40;
const ROUNDS = 8;
const CLOSED = 400;
const owned = Array.from({ length: OWNED_SHARDS }, (_, shard) => shard);

/** Milliseconds of CPU. */
interface Costs {
  readonly sites: number;
  /** Reading today's samples of one site; of this process alone, and with Postgres. */
  readonly read: number;
  readonly readInAll: number;
  /** Each of these for one site. */
  readonly takenOver: number;
  readonly compacted: number;
  readonly closed: number;
}

/**
 * What must not grow faster than the number of sites, measured at one checker of sixteen: its shards hold as many sites as they do in an installation of that
 * size, and no statement reads another shard. CPU time of this process and of Postgres.
 */
const bench: Bench = async ({ database, say }) => {
  const measured: Costs[] = [];
  for (const sites of SIZES) measured.push(await measure(await database(), sites, say));
  const [smallest, largest] = [measured[0], measured.at(-1)];
  const middle = measured.find(({ sites }) => sites === 100_000);
  if (smallest === undefined || largest === undefined) return [];
  const perSite = (what: string, of: (costs: Costs) => number): Figure =>
    figure(`${what}, ${shown(largest.sites)} sites (ceiling: ${shown(smallest.sites)})`, of(largest), 'ms of CPU a site', {
      ceiling: of(smallest),
      goal: GOAL,
    });
  const atMiddle = (what: string, value: (costs: Costs) => number, unit: string, atMost: number): readonly Figure[] =>
    middle === undefined ? [] : [figure(`${what}, 100,000 sites`, value(middle), unit, { goal: { atMost } })];
  return [
    ...measured.map(({ sites, readInAll }) =>
      figure(`reading today of one site, with Postgres, ${shown(sites)} sites`, readInAll, 'ms of CPU'),
    ),
    ...measured.map(({ sites, read }) => figure(`reading today of one site, ${shown(sites)} sites`, read, 'ms of CPU')),
    ...atMiddle('reading today of one site with 16 checkers', ({ read }) => read, 'ms of CPU', 3),
    perSite('taking a shard over', ({ takenOver }) => takenOver),
    ...atMiddle('taking all shards over', ({ takenOver }) => takenOver * 100, 's of CPU', 60),
    perSite('compacting ten minutes', ({ compacted }) => compacted),
    perSite('closing a day', ({ closed }) => closed),
    ...atMiddle('closing a day with 16 checkers', ({ closed }) => (closed * 100) / 16 / 60, 'minutes of CPU', 2),
    figure('plan of a checker of 64, 1,000,000 sites', planOfOneChecker(1_000_000 / 64), 'MB', { goal: { atMost: 90 } }),
  ];
};

export default bench;

async function measure(url: string, sites: number, say: (line: string) => void): Promise<Costs> {
  const pool = openPool(url, { name: 'scale', max: 4, hasLongStatements: true });
  try {
    const ids = sitesOfOneChecker(sites);
    const [now, samples] = [Date.now(), new PostgresSamples(pool)];
    await flushAll(pool, ids, now - TAIL_MS, now);
    say(`${shown(sites)} sites: ${shown(ids.length)} of one checker flushed for ten minutes`);
    const cost = (work: () => Promise<unknown>): Promise<number> => processorMs(pool, work);
    const one = inShard(ids, 0);
    const some = Array.from({ length: READS }, (_, nth) => one[(nth * 37) % one.length] ?? '');
    const reads = async (): Promise<void> => {
      for (const id of some) await samples.outcomes(id, now - DAY, now + HOUR_MS);
    };
    const { read, readInAll } = await leastOf(ROUNDS, async () => {
      const before = process.cpuUsage();
      const inAll = await cost(reads);
      return { read: spentMs(before) / some.length, readInAll: inAll / some.length };
    });
    const takenOver = (await cost(() => takeOver(samples, one, now))) / one.length;
    const compactor = new PackCompactor(pool, sampleKind);
    const compacted = (await cost(() => compactor.compact(0, owned))) / ids.length;
    const closed = await closeDays(pool, one, cost);
    say(JSON.stringify({ sites, read, readInAll, takenOver, compacted, closed }));
    return { sites, read, readInAll, takenOver, compacted, closed };
  } finally {
    await pool.end();
  }
}

async function takeOver(samples: PostgresSamples, ids: readonly string[], now: number): Promise<void> {
  const tail = await samples.tail(ids, now - LOOK_BACK);
  for (const id of ids) tail.between(id, now - LOOK_BACK, now + HOUR_MS);
}

/** Of a shard with as many sites as it has; a few hundred are closed. Milliseconds a site. */
async function closeDays(
  pool: Parameters<typeof writeHours>[0],
  ids: readonly string[],
  cost: (work: () => Promise<unknown>) => Promise<number>,
) {
  const start = Math.floor(Date.now() / DAY - 2) * DAY;
  await writeHours(pool, ids, start, start + DAY);
  const handler = new CloseDayHandler(new CommandRunner(new PostgresEventStore(pool, new LocalWake())));
  const enough = new AbortController();
  let closed = 0;
  const closing = new DayClosing({
    books: new ClosedBooks(pool),
    partitions: new DayPartitions(pool, 'sample'),
    compactor: new PackCompactor(pool, sampleKind),
    samples: new PostgresSamples(pool),
    clock: { now: () => start + 2 * DAY },
    close: async (context, projectId, books) => {
      await handler.execute(new CloseDay(context, { projectId, books }));
      if (++closed >= CLOSED) enough.abort();
    },
  });
  const spent = await cost(() => closing.closeDue([0], enough.signal));
  return spent / closed;
}

/** The calmest round: other load, and a process that is not warm yet, only ever add. */
async function leastOf<Figures extends Readonly<Record<string, number>>>(
  rounds: number,
  measureOnce: () => Promise<Figures>,
): Promise<Figures> {
  const measured: Figures[] = [];
  for (let round = 0; round < rounds; round++) measured.push(await measureOnce());
  const names = Object.keys(measured[0] ?? {});
  return Object.fromEntries(names.map((name) => [name, Math.min(...measured.map((figures) => figures[name] ?? NaN))])) as Figures;
}

function spentMs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1_000;
}

/** Of this process and of Postgres. */
async function processorMs(pool: Parameters<typeof postgresSeconds>[0], work: () => Promise<unknown>): Promise<number> {
  const [own, theirs] = [process.cpuUsage(), await postgresSeconds(pool)];
  await work();
  return spentMs(own) + spentSince(theirs, await postgresSeconds(pool)) * 1_000;
}

const shown = (count: number): string => count.toLocaleString('en');
