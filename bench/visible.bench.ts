import { openPool } from '../src/platform/postgres/pool.ts';
import { PostgresWake } from '../src/platform/postgres/wake-postgres.ts';
import { PostgresEventStore } from '../src/platform/event-store/postgres/postgres-event-store.ts';
import { systemClock } from '../src/kernel/clock.ts';
import type { NewEvent } from '../src/kernel/event.ts';
import { randomId } from '../src/kernel/ids.ts';
import { PostgresLog } from '../src/platform/log/postgres-log.ts';
import { viewUnit } from '../src/platform/read-models/views/unit.ts';
import { viewLifecycle } from '../src/platform/read-models/views/view-lifecycle.ts';
import { ReadYourWrites } from '../src/platform/read-models/engine/read-your-writes.ts';
import { UnitViews } from '../src/platform/read-models/views/unit-views.ts';
import { coreViews } from '../src/app/projection-table.ts';
import { projectView } from '../src/projects/project.view.ts';
import { type Bench, figure } from './support/bench.ts';

const SPAN_MS = 3_000;

/** The time from the call of an append until the core views show the event, with one writer and with sixteen. */
const bench: Bench = async ({ database, say }) => {
  const url = await database();
  const pool = openPool(url, { name: 'bench store', max: 8 });
  const db = openPool(url, { name: 'bench core', max: 4, statementTimeoutMs: 0 });
  const wake = new PostgresWake(url);
  const log = new PostgresLog(pool, wake);
  const store = new PostgresEventStore(pool, wake);
  const unit = viewUnit('core', coreViews);
  const readYourWrites = new ReadYourWrites({ schema: unit.schema, db: pool, log, wake, clock: systemClock });
  const closing = new AbortController();
  const lifecycle = viewLifecycle({ unit, log, recent: store.recent, db, wake, readYourWrites, report: (error) => say(String(error)) });
  const running = lifecycle.run(closing.signal);
  await readYourWrites.start();
  const views = new UnitViews(unit, log, pool, () => readYourWrites.position()).now();

  async function write(id: string, revision: number): Promise<void> {
    const event = revision < 0 ? created(id) : renamed(id, revision);
    const result = await store.append(`project-${id}`, revision < 0 ? 'no stream' : revision, [event]);
    if (result.kind === 'conflict') throw new Error('unexpected conflict: this bench is the only writer');
    await readYourWrites.waitUntilVisible([result.place], Date.now() + 5_000);
  }

  async function run(writers: number, span: number): Promise<readonly number[]> {
    const took: number[] = [];
    const end = performance.now() + span;
    await Promise.all(
      Array.from({ length: writers }, async () => {
        const id = randomId().replaceAll('-', '').slice(0, 24);
        for (let revision = -1; performance.now() < end; revision++) {
          const began = performance.now();
          await write(id, revision);
          took.push(performance.now() - began);
        }
        if ((await views.get(projectView, id)) === null) throw new Error('written, but not there');
      }),
    );
    return took.sort((left, right) => left - right);
  }

  try {
    await run(16, SPAN_MS / 3);
    const [one, sixteen] = [await run(1, SPAN_MS), await run(16, SPAN_MS)];
    const at = (took: readonly number[], share: number): number => took[Math.floor(took.length * share)] ?? NaN;
    return [
      figure('write to visible, 1 writer, p50', at(one, 0.5), 'ms', { goal: { atMost: 4 } }),
      figure('write to visible, 1 writer, p99', at(one, 0.99), 'ms'),
      figure('write to visible, 16 writers, p50', at(sixteen, 0.5), 'ms', { goal: { atMost: 4 } }),
      figure('write to visible, 16 writers, p99', at(sixteen, 0.99), 'ms'),
      figure('write to visible, 16 writers', (sixteen.length * 1_000) / SPAN_MS, 'writes/s', { goal: { atLeast: 2_500 } }),
    ];
  } finally {
    closing.abort();
    await running;
    await readYourWrites.close();
    await wake.close();
    await Promise.all([pool.end(), db.end()]);
  }
};

export default bench;

function event(id: string, type: string, data: object): NewEvent {
  const own = randomId();
  return {
    id: own,
    type,
    version: 1,
    scope: `project-${id}`,
    data,
    meta: {
      actor: { kind: 'user', id: '1' },
      correlationId: own,
      causationId: null,
      commandId: own,
      occurredAt: new Date().toISOString(),
    },
  };
}

const renamed = (id: string, revision: number): NewEvent =>
  event(id, 'ProjectRenamed', { from: `Title ${String(revision - 1)}`, to: `Title ${String(revision)}` });

const created = (id: string): NewEvent =>
  event(id, 'ProjectCreated', {
    projectId: id,
    payerId: 1,
    apiKey: { subject: 'project', sealed: 'c2VhbGVkIHdpdGggYSBrZXkgb2YgdGhlIHByb2plY3Q=' },
    preset: false,
    settings: {
      title: 'Title',
      url: 'https://example.com',
      period: '5 minutes',
      uptimeUrl: 'https://example.com',
      uptimePeriod: '60',
      location: 'eu',
      checkDefaultErrors: true,
      userAgent: 'Mozilla/5.0 (compatible; Watchledger)',
      timeout: 3,
      delay: 50,
      sslAlertPeriod: 14,
      httpsRedirectEnabled: true,
      webPushEnabled: false,
      securityMonitoringEnabled: false,
    },
  });
