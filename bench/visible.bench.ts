import { openPool } from '../src/base/pool.ts';
import { PostgresWake } from '../src/base/wake-postgres.ts';
import { PostgresEventStore } from '../src/event-store/postgres/postgres-event-store.ts';
import { systemClock } from '../src/kernel/clock.ts';
import type { NewEvent } from '../src/kernel/event.ts';
import { randomId } from '../src/kernel/ids.ts';
import { PostgresLog } from '../src/log/postgres-log.ts';
import { viewUnit } from '../src/projections/kit/unit.ts';
import { ViewLife } from '../src/projections/kit/view-life.ts';
import { Visibility } from '../src/projections/kit/visibility.ts';
import { UnitViews } from '../src/projections/kit/views-at.ts';
import { coreViews } from '../src/projections/projection-table.ts';
import { projectView } from '../src/projections/project/project.view.ts';
import type { Figure } from './rebuild.bench.ts';

/** From the call of the append to the moment where the core views show it, with one writer and with sixteen. */
export async function visible(url: string, milliseconds = 3_000): Promise<readonly Figure[]> {
  const pool = openPool(url, { name: 'bench store', max: 4 });
  const db = openPool(url, { name: 'bench core', max: 4, synchronousCommit: false });
  const wake = new PostgresWake(url);
  const log = new PostgresLog(pool, wake);
  const store = new PostgresEventStore(pool, wake);
  const unit = viewUnit('core', coreViews);
  const visibility = new Visibility({ schema: unit.schema, db, log, wake, clock: systemClock });
  const closing = new AbortController();
  const life = new ViewLife({ unit, log, db, wake, visibility, report: console.error });
  const running = life.work(closing.signal);
  await visibility.start();
  const views = new UnitViews(unit, log, db, () => visibility.position()).now();
  const figures: Figure[] = [];

  async function write(id: string, revision: number): Promise<void> {
    const result = await store.append(`project-${id}`, revision < 0 ? 'no stream' : revision, [
      revision < 0 ? created(id) : renamed(id, revision),
    ]);
    if (result.kind === 'conflict') throw new Error('the bench is alone');
    await visibility.settled([result.place], Date.now() + 5_000);
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
    await run(16, milliseconds / 3);
    for (const writers of [1, 16]) {
      const took = await run(writers, milliseconds);
      const at = (share: number): number => Number((took[Math.floor(took.length * share)] ?? 0).toFixed(2));
      figures.push(
        { name: `write to visible, ${String(writers)} writers, p50`, value: at(0.5), unit: 'ms' },
        { name: `write to visible, ${String(writers)} writers, p99`, value: at(0.99), unit: 'ms' },
        { name: `write to visible, ${String(writers)} writers`, value: Math.round((took.length / milliseconds) * 1_000), unit: 'writes/s' },
      );
    }
  } finally {
    closing.abort();
    await running;
    await visibility.close();
    await wake.close();
    await Promise.all([pool.end(), db.end()]);
  }
  return figures;
}

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
