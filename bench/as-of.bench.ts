import { openPool } from '../src/persistence/pool.ts';
import { LocalWake } from '../src/persistence/wake.ts';
import { CompareReading } from '../src/http/compare/compare-reading.ts';
import { PostgresLog } from '../src/log/postgres-log.ts';
import { scopeEvents } from '../src/projections/views/refold.ts';
import { FoldedViews } from '../src/projections/views/folded-views.ts';
import { ConcurrencyLimit } from '../src/kernel/concurrency-limit.ts';
import { viewUnit } from '../src/projections/views/unit.ts';
import { VoidedEvents } from '../src/projections/engine/voided-events.ts';
import { coreViews } from '../src/projections/projection-table.ts';
import { projectView } from '../src/projections/read-models/project/project.view.ts';
import { type Bench, figure, median } from './support/bench.ts';

const EVENTS = 10_000;
const OTHERS = 20;
const ROUNDS = 15;
const KEY = '000000000000000000000001';
const SCOPE = `project-${KEY}`;

/** Reads a project of ten thousand events, among other projects, as of its last event in every core view, and compares its first state with its last. */
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
    ];
  } finally {
    await pool.end();
  }
};

export default bench;

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
