import { openPool } from '../src/platform/postgres/pool.ts';
import { LocalWake } from '../src/platform/postgres/wake.ts';
import { CompareReading } from '../src/history/compare/compare-reading.ts';
import { PostgresLog } from '../src/platform/log/postgres-log.ts';
import { scopeEvents } from '../src/platform/read-models/views/refold.ts';
import { FoldedViews } from '../src/platform/read-models/views/folded-views.ts';
import { ConcurrencyLimit } from '../src/kernel/concurrency-limit.ts';
import { viewUnit } from '../src/platform/read-models/views/unit.ts';
import { VoidedEvents } from '../src/platform/read-models/engine/voided-events.ts';
import { coreViews } from '../src/app/projection-table.ts';
import { projectStream } from '../src/kernel/stream-names.ts';
import { projectWithFacts } from '../src/watches/project-facts.ts';
import type { Views } from '../src/platform/read-models/views/views.ts';
import { longestSlice } from '../test/support/main-thread.ts';
import { buildFlatDatabase, type FlatDatabase } from './flat/flat-database.ts';
import { listRequest, type Readings, readingsOf } from './flat/readings.ts';
import { projectView } from '../src/projects/project.view.ts';
import { type Bench, type Figure, figure, inTurns, median } from './support/bench.ts';

const EVENTS = 10_000;
const OTHERS = 20;
const ROUNDS = 15;
const KEY = '000000000000000000000001';
const SCOPE = `project-${KEY}`;

/** Reads a project of ten thousand events, among other projects, as of its last event in every core view, and compares its first state with its last; then pages of a project with 2,000 checks. */
const bench: Bench = async ({ database }) => {
  const pool = openPool(await database(), { name: 'bench', max: 4 });
  const log = new PostgresLog(pool, new LocalWake());
  try {
    await pool.query(SEED, [EVENTS * OTHERS, OTHERS]);
    await pool.query('VACUUM ANALYZE log');
    const unit = viewUnit('core', coreViews);
    const voided = new VoidedEvents(log, unit);
    const took: number[] = [];
    const folding = process.cpuUsage();
    const viewsAt = (n: number): FoldedViews =>
      new FoldedViews({ unit, log, voided, limit: new ConcurrencyLimit(2), scopesOf: () => Promise.resolve(new Map([[KEY, SCOPE]])) }, n);
    for (let round = 0; round < ROUNDS; round++) {
      const began = performance.now();
      const views = viewsAt(EVENTS * OTHERS);
      const row = await views.get(projectView, KEY);
      took.push(performance.now() - began);
      if (row?.settings.title !== `Title ${String(EVENTS * OTHERS - OTHERS + 1)}`) throw new Error('folded to something else');
    }
    const folded = process.cpuUsage(folding);
    const read: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const began = performance.now();
      for await (const events of scopeEvents(log, SCOPE, EVENTS * OTHERS)) if (events.length === 0) throw new Error('nothing was read');
      read.push(performance.now() - began);
    }
    const comparing = process.cpuUsage();
    const compared: number[] = [];
    const reading = new CompareReading(log);
    const instant = (n: number) => ({ n, at: Date.now(), views: viewsAt(n) });
    for (let round = 0; round < ROUNDS; round++) {
      const began = performance.now();
      const changes = await reading.changes(KEY, instant(OTHERS), instant(EVENTS * OTHERS));
      compared.push(performance.now() - began);
      const [title] = changes;
      if (title?.path !== 'project.title' || title.events.length !== EVENTS - 1) throw new Error('compared to something else');
    }
    const ofCpu = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1_000 / ROUNDS;
    const cpu = [ofCpu(folded), ofCpu(process.cpuUsage(comparing))] as const;
    return [
      figure('as of, a project with 10,000 events', median(took), 'ms', { ceiling: median(read), goal: { atMost: 60 } }),
      figure('as of, by the CPU of the process', cpu[0], 'ms'),
      figure('compare, over 10,000 events', median(compared), 'ms', { ceiling: median(read), goal: { atMost: 250 } }),
      figure('compare, by the CPU of the process', cpu[1], 'ms'),
      ...(await pagesAsOf(await buildFlatDatabase(await database(), 10))),
    ];
  } finally {
    await pool.end();
  }
};

export default bench;

/** Pages of a project with 2,000 checks, each with a verdict, without a snapshot of its rows: its 4,000 events are folded for every answer. */
async function pagesAsOf(flat: FlatDatabase): Promise<readonly Figure[]> {
  try {
    const id = flat.projectOfChecks(2_000);
    const project = await flat.views.now().get(projectView, id);
    if (project === null) throw new Error('found no project');
    const readings = (): Readings & { readonly then: Views } => {
      const then = flat.views.asOf(flat.head);
      return { then, ...readingsOf(flat, { now: () => then, asOf: () => then, snapshot: (work) => work(then) }) };
    };
    const page = (path: string) => listRequest(`/project/:id/${path}`, { limit: '50' });
    const answers: Readonly<Record<string, () => Promise<unknown>>> = {
      '/project/{id}': () => projectWithFacts(readings().then, id),
      '/areas': () => readings().areas.ofProject(project, page('areas')),
      '/tests?limit=50': () => readings().checks.ofProject(project, page('tests')),
      '/status?limit=50': () => readings().status.summary(project, 0, page('status')),
      '/simple-status?limit=50': () => readings().status.simple(project, page('simple-status')),
    };
    const read = cpuOf(async () => {
      for await (const events of scopeEvents(flat.log, projectStream(id), flat.head))
        if (events.length === 0) throw new Error('nothing was read');
    });
    const cpu: Readonly<Record<string, number>> = await inTurns(ROUNDS, {
      read,
      ...Object.fromEntries(Object.entries(answers).map(([name, answer]) => [name, cpuOf(answer)])),
    });
    const slices: number[] = [];
    for (const answer of Object.values(answers)) slices.push(await shortestOf(6, () => longestSlice(answer())));
    return [
      ...Object.keys(answers).map((name) =>
        figure(`as of, ${name} of 2,000 checks, by the CPU of the process`, cpu[name] ?? NaN, 'ms', {
          ceiling: cpu['read'] ?? NaN,
          goal: { atMost: 60 },
        }),
      ),
      figure('the longest that one of them holds the event loop', Math.max(...slices), 'ms', { goal: { atMost: 20 } }),
    ];
  } finally {
    await flat.close();
  }
}

const cpuOf = (work: () => Promise<unknown>) => async (): Promise<number> => {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
};

/** A slice that contains a garbage collection or the work of the compiler does not come again. */
async function shortestOf(times: number, measure: () => Promise<number>): Promise<number> {
  const found: number[] = [];
  for (let time = 0; time < times; time++) found.push(await measure());
  return Math.min(...found);
}

const SEED = `
  INSERT INTO log (n, source_position, id, stream, revision, type, version, scope, recorded_at, data, meta)
  SELECT n, n::text, gen_random_uuid(), 'project-' || lpad(to_hex(n % $2), 24, '0'), n / $2,
    CASE WHEN n < $2 THEN 'ProjectCreated' ELSE 'ProjectRenamed' END, 1, 'project-' || lpad(to_hex(n % $2), 24, '0'),
    '2026-11-21T12:00:00Z'::timestamptz + n * interval '997 microseconds',
    CASE WHEN n < $2 THEN '{"projectId":"' || lpad(to_hex(n % $2), 24, '0') || '","payerId":1,"settings":{"title":"First","url":"https://example.com","period":"1 hour","uptimeUrl":"https://example.com","uptimePeriod":"60","location":"eu","checkDefaultErrors":true,"userAgent":"x","timeout":3,"delay":50,"sslAlertPeriod":14,"httpsRedirectEnabled":true,"webPushEnabled":false,"securityMonitoringEnabled":false},"apiKey":{"subject":"","sealed":""},"preset":false}'
      ELSE '{"from":"Title ' || n - $2 || '","to":"Title ' || n || '"}' END,
    '{"actor":{"kind":"user","id":"7"},"correlationId":"' || c || '","causationId":null,"commandId":"' || c
      || '","occurredAt":"2026-01-01T00:00:00.000Z"}'
  FROM generate_series(0, $1::bigint - 1) AS n, gen_random_uuid() AS c`;
