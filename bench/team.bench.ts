import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { env } from 'node:process';
import { pathToFileURL } from 'node:url';
import type pg from 'pg';
import rollup from '../examples/failures-by-hour/failures-by-hour.projection.ts';
import { programFolder } from '../src/platform/config/program.ts';
import { childEnvironment } from '../src/teams/process/running-child.ts';
import { openPool } from '../src/platform/postgres/pool.ts';
import { PostgresLeases } from '../src/platform/postgres/postgres-leases.ts';
import { PostgresWake } from '../src/platform/postgres/wake-postgres.ts';
import { PostgresEventStore } from '../src/platform/event-store/postgres/postgres-event-store.ts';
import { randomId } from '../src/kernel/ids.ts';
import { PostgresLog } from '../src/platform/log/postgres-log.ts';
import { setLifecycle, setTarget } from '../src/platform/read-models/sets/set-lifecycle.ts';
import { localSetWork } from '../src/platform/read-models/sets/set-work.ts';
import { TeamProcess } from '../src/teams/process/team-process.ts';
import { TeamProjections } from '../src/teams/team-projections.ts';
import { type Bench, type BenchTools, type Figure, figure, inTurns } from './support/bench.ts';
import { failure, seedFailures } from './support/failures.ts';
import { wakeTopicOf } from '../src/platform/read-models/engine/schema-names.ts';

const EVENTS = 1_000_000;
const CHECKS = 10_000;
const ROUNDS = 3;
const A_SECOND = 2_000;
const LIVE_SECONDS = 10;
const WRITERS = 16;
/** Seventy percent of the rate in process. */
const TIMES_IN_PROCESS = 1.43;

/** The packages, each in a process of its own. */
const ROLLUP = '../examples/failures-by-hour/failures-by-hour.projection.ts';
const VIEW = './support/last-failure.view.ts';
const ENTRY = pathToFileURL(join(programFolder, 'dist/team.js'));

/** The same tables by one SQL statement, without events and without live updates: the ceiling. */
const BY_SQL = {
  failures_by_hour: `CREATE TABLE by_sql AS SELECT substr(scope, 9) AS project, extract(hour FROM (data::json #>> '{evidence,at}')::timestamptz) AS hour,
      data::json #>> '{evidence,location}' AS location, count(*) AS times FROM log WHERE type = 'CheckFailed' GROUP BY 1, 2, 3`,
  last_failure: `CREATE TABLE by_sql AS SELECT DISTINCT ON (key) key, doc FROM (SELECT n, data::json ->> 'checkId' AS key,
      json_build_object('since', data::json ->> 'since', 'httpStatus', data::json #> '{evidence,httpStatus}') AS doc FROM log WHERE type = 'CheckFailed') AS e
    ORDER BY key, n DESC`,
};

/** A team's projections: filled from a million events, then live at 2,000 events per second. */
const bench: Bench = async (tools) => [...(await fills(tools)), ...(await live(tools))];

export default bench;

interface Place {
  readonly url: string;
  readonly pool: pg.Pool;
  readonly wake: PostgresWake;
  readonly leases: PostgresLeases;
  run(from: string): Promise<{ readonly name: string; close(): Promise<void> }>;
  close(): Promise<void>;
}

const SECRET = randomBytes(32);

async function place({ database, say }: BenchTools): Promise<Place> {
  const url = await database();
  const pool = openPool(url, { name: 'bench', max: 6, statementTimeoutMs: 0 });
  const wake = new PostgresWake(url);
  const leases = new PostgresLeases(url, wake);
  const report = (_: string, error: unknown): void => say(String(error));
  return {
    url,
    pool,
    wake,
    leases,
    run: async (from) => {
      const process = await TeamProcess.start({
        ...{ from, folder: import.meta.dirname, entry: ENTRY, memoryMb: 512, env: childEnvironment(env, []) },
        ...{ onOutput: say, onEnded: say, onUncaught: ({ message }) => say(message), onParked: ({ error }) => say(error) },
        onRunning: () => undefined,
      });
      const openLog = (own: pg.Pool): PostgresLog => new PostgresLog(own, wake);
      const secret = (): Promise<Buffer> => Promise.resolve(SECRET);
      const onSharedAccount = (_: string, reason: string): void => say(reason);
      const team = new TeamProjections(
        { url, wake, leases, openLog, report, secret, onSharedAccount, onParked: ({ error }) => say(error) },
        [process],
      );
      team.start();
      return { name: process.manifest.projections[0]?.name ?? '', close: () => team.close().then(() => process.close()) };
    },
    close: async () => {
      await leases.close();
      await wake.close();
      await pool.end();
    },
  };
}

/** The time from the start of the runner until SQL finds every event in the table. */
async function fills(tools: BenchTools): Promise<readonly Figure[]> {
  const at = await place(tools);
  const { pool, wake, run, close } = at;
  try {
    tools.say(`writing ${EVENTS.toLocaleString('en')} events ...`);
    await seedFailures(pool, EVENTS, CHECKS);
    const bySql = async (statement: string): Promise<number> => {
      await pool.query('DROP TABLE IF EXISTS by_sql');
      return seconds(() => pool.query(statement));
    };
    const took = await inTurns(ROUNDS, {
      rollup: () => filled(pool, run, ROLLUP),
      rollupInProcess: () => filled(pool, () => runInProcess(at, tools), ROLLUP),
      rollupBySql: () => bySql(BY_SQL.failures_by_hour),
      view: () => filled(pool, run, VIEW),
      viewBySql: () => bySql(BY_SQL.last_failure),
      read: () => seconds(() => readAll(new PostgresLog(pool, wake))),
    });
    return [
      figure('1,000,000 events into a rollup', took.rollup, 's', { ceiling: took.rollupBySql, goal: { atMost: 8 } }),
      figure('the same, against the code of the package in the process of the service', took.rollup, 's', {
        ...{ ceiling: took.rollupInProcess, goal: { ratioAtMost: TIMES_IN_PROCESS } },
      }),
      figure('1,000,000 events into a view of 10,000 rows', took.view, 's', { ceiling: took.viewBySql, goal: { atMost: 8 } }),
      figure('1,000,000 events read and parsed only', took.read, 's'),
    ];
  } finally {
    await close();
  }
}

/** The rollup as it ran before packages had processes and database roles of their own. */
function runInProcess({ url, wake }: Place, { say }: BenchTools): ReturnType<Place['run']> {
  const db = openPool(url, { name: 'bench in process', max: 4, hasLongStatements: true, synchronousCommit: false });
  const log = new PostgresLog(db, wake);
  const ending = new AbortController();
  const target = setTarget(rollup, localSetWork(rollup, { log, db }), db);
  const running = setLifecycle(target, { log, db, wake, report: (error: unknown) => say(String(error)) }).run(ending.signal);
  const close = async (): Promise<void> => {
    ending.abort();
    await running;
    await db.end();
  };
  return Promise.resolve({ name: rollup.name, close });
}

/** With the start of the process, which takes half a second. */
async function filled(pool: pg.Pool, run: Place['run'], from: string): Promise<number> {
  const began = performance.now();
  const team = await run(from);
  const schema = `p_${team.name}_v1`;
  const look = `SELECT FROM projection WHERE schema = $1 AND state = 'live' AND n = (SELECT max(n) FROM log)`;
  while ((await pool.query(look, [schema])).rowCount !== 1) await new Promise((again) => setTimeout(again, 20));
  const took = (performance.now() - began) / 1_000;
  await team.close();
  await pool.query(`DROP SCHEMA ${schema} CASCADE; DELETE FROM projection WHERE name = '${team.name}'`);
  return took;
}

async function readAll(log: PostgresLog): Promise<void> {
  for (let after = -1; ;) {
    const last = (await log.read({ after, limit: 4_000 })).at(-1);
    if (last === undefined) return;
    after = last.n;
  }
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1_000;
}

/** The time from the answer of an append until the team's table has the event, at a steady rate; writer and runner in one process. */
async function live(tools: BenchTools): Promise<readonly Figure[]> {
  const { pool, wake, run, close } = await place(tools);
  const store = new PostgresEventStore(pool, wake);
  const team = await run(ROLLUP);
  try {
    const lags = new Lags(wake, pool, 'p_failures_by_hour_v1');
    await lags.start();
    const began = performance.now();
    let written = 0;
    await Promise.all(
      Array.from({ length: WRITERS }, async (_, writer) => {
        for (let revision = -1; performance.now() - began < LIVE_SECONDS * 1_000; revision++) {
          const appended = await store.append(`verdict-${String(writer)}`, revision < 0 ? 'no stream' : revision, [
            failure(randomId(), writer),
          ]);
          if (appended.kind === 'conflict') throw new Error('unexpected conflict: this bench is the only writer');
          lags.wrote(Number(appended.place.position));
          written++;
          // A steady rate: appends only as many as are due by now.
          const ahead = ((revision + 2) * WRITERS * 1_000) / A_SECOND - (performance.now() - began);
          if (ahead > 0) await new Promise((due) => setTimeout(due, ahead));
        }
      }),
    );
    const rate = (written * 1_000) / (performance.now() - began);
    const took = await lags.end();
    return [
      figure('live, events written', rate, 'events/s', { goal: { atLeast: A_SECOND * 0.95 } }),
      figure('live, behind an append, p50', took[Math.floor(took.length * 0.5)] ?? NaN, 'ms'),
      figure('live, behind an append, 99 of 100', took[Math.floor(took.length * 0.99)] ?? NaN, 'ms', { goal: { atMost: 100 } }),
    ];
  } finally {
    await team.close();
    await close();
  }
}

/** Reads the checkpoint whenever the runner reports that it moved. */
class Lags {
  private readonly waiting: { readonly n: number; readonly at: number }[] = [];
  private readonly took: number[] = [];
  private readonly closing = new AbortController();
  private watching: Promise<void> = Promise.resolve();

  constructor(
    private readonly wake: PostgresWake,
    private readonly pool: pg.Pool,
    private readonly schema: string,
  ) {}

  async start(): Promise<void> {
    while ((await this.position()) === null) await new Promise((again) => setTimeout(again, 20));
    this.watching = this.watch();
  }

  wrote(n: number): void {
    this.waiting.push({ n, at: performance.now() });
  }

  async end(): Promise<readonly number[]> {
    while (this.waiting.length > 0) await new Promise((again) => setTimeout(again, 20));
    this.closing.abort();
    await this.watching;
    return this.took.sort((left, right) => left - right);
  }

  private async watch(): Promise<void> {
    const bell = this.wake.bell(wakeTopicOf(this.schema));
    while (!this.closing.signal.aborted) {
      await bell.wait(50, this.closing.signal);
      const n = (await this.position()) ?? -1;
      const now = performance.now();
      const there = this.waiting.filter((one) => one.n <= n);
      for (const one of there) {
        this.took.push(now - one.at);
        this.waiting.splice(this.waiting.indexOf(one), 1);
      }
    }
    bell.close();
  }

  private async position(): Promise<number | null> {
    const { rows } = await this.pool.query<{ n: string }>(`SELECT n FROM projection WHERE schema = $1 AND state = 'live'`, [this.schema]);
    return rows[0] === undefined ? null : Number(rows[0].n);
  }
}
