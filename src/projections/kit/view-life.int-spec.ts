import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { openPool } from '../../base/pool.ts';
import { PostgresLeases } from '../../base/postgres-leases.ts';
import { PostgresWake } from '../../base/wake-postgres.ts';
import { systemClock } from '../../kernel/clock.ts';
import { text } from './columns.ts';
import { defineView, scopeId } from './define-view.ts';
import { LeasedLoop, runnerOf } from './leased-loop.ts';
import { ProjectionAdmin } from './projection-admin.ts';
import { SpecLog } from './spec-log.ts';
import { dropRetired } from './unit-schema.ts';
import { type ViewUnit, viewUnit } from './unit.ts';
import { UnitViews } from './views-at.ts';
import { ViewLife } from './view-life.ts';
import { NotVisibleYet, ReadsBehind, Visibility } from './visibility.ts';

interface Title {
  readonly title: string;
  readonly changes: number;
}

let poison = 'POISON';
const titlesOf = (version: number) =>
  defineView<Title>()({
    name: 'titles',
    version,
    scope: 'project',
    key: scopeId,
    on: {
      ProjectRenamed: (row, { data }) => {
        if (data.to === poison) throw new Error('this title cannot be taken');
        return { title: data.to, changes: (row?.changes ?? 0) + 1 };
      },
    },
    columns: { title: text((row: Title) => row.title) },
  });
const titles = titlesOf(1);
const unit = viewUnit('spec', [titles]);
const raised = viewUnit('spec', [titlesOf(2)]);

class Instance {
  readonly wake = new PostgresWake(database.url);
  readonly leases = new PostgresLeases(database.url, this.wake);
  private readonly db = openPool(database.url, { name: 'core', max: 4 });
  readonly errors: unknown[] = [];
  readonly visibility: Visibility;
  readonly views: UnitViews;
  private readonly loop: LeasedLoop | undefined;

  constructor(runs: boolean, of: ViewUnit) {
    const { db, wake, leases } = this;
    this.visibility = new Visibility({ schema: of.schema, db, log, wake, clock: systemClock });
    this.views = new UnitViews(of, log, db, () => this.visibility.position());
    if (!runs) return;
    const report = (error: unknown) => this.errors.push(error);
    const life = new ViewLife({ unit: of, log, db, wake, visibility: this.visibility, report });
    this.loop = new LeasedLoop({ name: runnerOf(of.schema), leases, work: (signal) => life.work(signal), report });
    this.loop.start();
  }

  async start(): Promise<this> {
    await this.visibility.start();
    return this;
  }

  async close(): Promise<void> {
    await this.loop?.close();
    await this.visibility.close();
    await this.leases.close();
    await this.wake.close();
    await this.db.end();
  }
}

let database: TestDatabase;
let log: SpecLog;
let instances: Instance[];

beforeEach(async () => {
  poison = 'POISON';
  database = await createTestDatabase();
  log = new SpecLog(database.pool);
  instances = [];
});
afterEach(async () => {
  await Promise.all(instances.map((instance) => instance.close()));
  await database.drop();
});

async function instance(part: 'runs' | 'reads', of = unit): Promise<Instance> {
  const made = new Instance(part === 'runs', of);
  instances.push(made);
  return made.start();
}

const soon = () => Date.now() + 60_000;

async function rename(id: string, to: string, ...told: Instance[]): Promise<number> {
  const { n } = await log.append(`project-${id}`, 'ProjectRenamed', { from: '', to });
  for (const { wake } of told) wake.ring('log');
  return n;
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadline = soon();
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error('the condition did not come true in time');
    await sleep(20);
  }
}

describe('reading what was written', () => {
  it('holds through the instance that runs the views and through one that does not', async () => {
    const running = await instance('runs');
    const other = await instance('reads');
    for (let round = 0; round < 20; round++) {
      const n = await rename('a', `title ${String(round)}`, running);
      const through = round % 2 === 0 ? running : other;
      await through.visibility.reached(n, soon());
      expect(await through.views.now().get(titles, 'a')).toEqual({ title: `title ${String(round)}`, changes: round + 1 });
    }
    await until(() => Promise.resolve(other.visibility.lag() < 2));
  });

  it('ends with an error when nobody runs the views, and further writes are refused', async () => {
    const running = await instance('runs');
    const other = await instance('reads');
    await other.visibility.reached(await rename('a', 'one', running), soon());
    await running.close();
    instances.splice(instances.indexOf(running), 1);
    const n = await rename('a', 'two');
    await expect(other.visibility.reached(n, Date.now() + 100)).rejects.toThrow(NotVisibleYet);
    await until(() => Promise.resolve(other.visibility.lag() > 2));
    expect(() => other.visibility.check()).toThrow(ReadsBehind);
  });

  it('goes on with the second instance when the first ends', async () => {
    const first = await instance('runs');
    const second = await instance('runs');
    await second.visibility.reached(await rename('a', 'one', first, second), soon());
    await first.close();
    instances.splice(instances.indexOf(first), 1);
    await second.visibility.reached(await rename('a', 'two', second), soon());
    expect(await second.views.now().get(titles, 'a')).toEqual({ title: 'two', changes: 2 });
  });

  it('skips and repeats nothing while connections are cut between folding and committing', async () => {
    const [first, second] = [await instance('runs'), await instance('runs')];
    const rounds = 60;
    let last = -1;
    for (let round = 0; round < rounds; round++) {
      last = await rename('a', `title ${String(round)}`, first, second);
      if (round % 6 === 5) {
        await database.pool.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()
          AND application_name IN ('watchledger core', 'watchledger leases')`);
      }
    }
    await second.visibility.reached(last, soon());
    await first.visibility.reached(last, soon());
    expect(await second.views.now().get(titles, 'a')).toEqual({ title: `title ${String(rounds - 1)}`, changes: rounds });
  });
});

describe('an upgrade in steps', () => {
  it('shows what was written through either version to readers of both', async () => {
    const old = await instance('runs');
    await old.visibility.reached(await rename('a', 'before', old), soon());
    const fresh = await instance('runs', raised);
    await fresh.visibility.reached(0, soon());
    await until(() => Promise.resolve(fresh.visibility.lag() < 1));
    // Each learns of the other's tables at its next look.
    await until(() =>
      Promise.resolve([old, fresh].every(({ visibility }) => (Reflect.get(visibility, 'others') as readonly string[]).length === 1)),
    );
    for (let round = 0; round < 20; round++) {
      const [by, other] = round % 2 === 0 ? [old, fresh] : [fresh, old];
      await by.visibility.reached(await rename('a', `round ${String(round)}`, old, fresh), soon());
      expect(await other.views.now().get(titles, 'a')).toEqual({ title: `round ${String(round)}`, changes: round + 2 });
    }
    await old.close();
    instances.splice(instances.indexOf(old), 1);
    await fresh.visibility.reached(await rename('a', 'after', fresh), soon());
  });
});

describe('a version that another one has followed', () => {
  it('is kept while somebody runs it, however silent the log, and goes when nobody did for a day', async () => {
    const old = await instance('runs');
    await old.visibility.reached(await rename('a', 'before', old), soon());
    const fresh = await instance('runs', raised);
    await fresh.visibility.reached(0, soon());
    const twoDaysAgo = (column: string) => `${column} = ${column} - interval '2 days'`;
    await database.pool.query(`UPDATE projection SET ${['created_at', 'live_at', 'moved_at'].map(twoDaysAgo).join(', ')}`);
    const kept = async (): Promise<boolean> => {
      await dropRetired(database.pool, raised.schema);
      return (await database.pool.query('SELECT FROM projection WHERE schema = $1', [unit.schema])).rowCount === 1;
    };
    expect(await kept()).toBe(true);
    expect(await old.views.now().get(titles, 'a')).toEqual({ title: 'before', changes: 1 });
    await old.close();
    instances.splice(instances.indexOf(old), 1);
    expect(await kept()).toBe(true);
    await database.pool.query(`UPDATE lease SET ${twoDaysAgo('heartbeat')} WHERE name = $1`, [runnerOf(unit.schema)]);
    expect(await kept()).toBe(false);
  });
});

describe('several reads', () => {
  it('stand on one instant within a snapshot', async () => {
    const running = await instance('runs');
    await running.visibility.reached(await rename('a', 'one', running), soon());
    const seen = await running.views.snapshot(async (views) => {
      const first = await views.get(titles, 'a');
      await running.visibility.reached(await rename('a', 'two', running), soon());
      return [first, await views.get(titles, 'a'), views.position()];
    });
    expect(seen).toEqual([{ title: 'one', changes: 1 }, { title: 'one', changes: 1 }, 0]);
    expect(await running.views.now().get(titles, 'a')).toEqual({ title: 'two', changes: 2 });
  });
});

describe('a log that became shorter', () => {
  it('fails the views at once and loudly, until somebody has them filled again', async () => {
    const running = await instance('runs');
    for (const title of ['one', 'two', 'three']) await running.visibility.reached(await rename('a', title, running), soon());
    await database.pool.query('DELETE FROM log WHERE n > 0');
    const state = async () =>
      (await database.pool.query<{ state: string; error: string | null }>('SELECT state, error FROM projection')).rows[0];
    await until(async () => (await state())?.state === 'failed');
    expect((await state())?.error).toContain('shorter');
    await until(() => Promise.resolve(running.visibility.lag() > 2));
    expect(() => running.visibility.check()).toThrow(ReadsBehind);
    await database.pool.query('UPDATE projection SET rebuild = true');
    await until(async () => (await state())?.state === 'live');
    expect(await running.views.now().get(titles, 'a')).toEqual({ title: 'one', changes: 1 });
  });
});

describe('a rebuild', () => {
  it('takes the place of the tables in use while writes go on, also of what was voided meanwhile', async () => {
    await log.appendAll(
      Array.from({ length: 6_000 }, (_, index) => ({
        scope: `project-${String(index % 500)}`,
        type: 'ProjectRenamed',
        data: { from: '', to: `t${String(index)}` },
      })),
    );
    const running = await instance('runs');
    await running.visibility.reached(5_999, soon());
    await database.pool.query(`UPDATE ${unit.schema}.titles SET doc = '{"title":"wrong"}'`);
    const tableOid = async () =>
      (await database.pool.query<{ oid: string }>(`SELECT '${unit.schema}.titles'::regclass::oid::text AS oid`)).rows[0]?.oid;
    const before = await tableOid();
    await database.pool.query('UPDATE projection SET rebuild = true');
    running.wake.ring('projections');
    let written = 0;
    await until(async () => {
      await rename(String(written % 500), `during ${String(written++)}`, running);
      if (written === 3) await log.append('system', 'EventVoided', { n: 5_999, eventId: 'x', reason: 'mistake' });
      return (await tableOid()) !== before;
    });
    await running.visibility.reached(await rename('499', 'last', running), soon());
    const { rows } = await database.pool.query<{ key: string; doc: Title }>(`SELECT key, doc FROM ${unit.schema}.titles`);
    expect(rows).toHaveLength(500);
    const now = await log.head();
    for (const { key, doc } of rows.slice(0, 50))
      expect(doc).toEqual(
        await running.views
          .asOf(now)
          .list(titles, { scope: `project-${key}` })
          .then(([item]) => item?.row),
      );
    expect(rows.filter(({ doc }) => doc.title === 'wrong')).toEqual([]);
    const { rows: states } = await database.pool.query('SELECT schema, state, rebuild FROM projection');
    expect(states).toEqual([{ schema: unit.schema, state: 'live', rebuild: false }]);
    expect(running.errors).toEqual([]);
  });
});

describe('a first fill', () => {
  it('fails on an event that cannot be folded, and passes once it is voided', async () => {
    await rename('a', 'one');
    await rename('a', 'POISON');
    await rename('a', 'three');
    const running = await instance('runs');
    const state = async () =>
      (await database.pool.query<{ state: string; error: string | null }>('SELECT state, error FROM projection')).rows[0];
    await until(async () => (await state())?.state === 'failed');
    expect((await state())?.error).toContain('ProjectRenamed at 1');
    expect(() => running.visibility.check()).toThrow(ReadsBehind);
    const parked = async () => (await database.pool.query('SELECT view, key, n::int FROM projection_parked')).rows;
    await until(async () => (await parked()).length === 1);
    expect(await parked()).toEqual([{ view: 'titles', key: 'a', n: 1 }]);
    const { n } = await log.append('system', 'EventVoided', { n: 1, eventId: 'x', reason: 'bad title' });
    await running.visibility.reached(n, soon());
    expect(await running.views.now().get(titles, 'a')).toEqual({ title: 'three', changes: 2 });
    expect(await parked()).toEqual([]);
  });

  it('stands still at an event that nobody can read, shows it, and goes on once it is voided', async () => {
    const running = await instance('runs');
    await running.visibility.reached(await rename('a', 'one', running), soon());
    const [odd] = await log.appendAll([{ scope: 'project-a', type: 'ProjectRenamed', version: 0, data: { from: '', to: 'two' } }]);
    await rename('b', 'three', running);
    const admin = new ProjectionAdmin(database.pool, running.wake, unit);
    await until(async () => (await admin.parked('titles')).length === 1);
    expect(await admin.parked('titles')).toMatchObject([{ eventId: odd?.id, n: 1, error: expect.stringContaining('no upcaster') }]);
    const { n, only } = await admin.skipOf('titles', odd?.id ?? '');
    expect([n, only]).toEqual([1, null]);
    await log.append('system', 'EventVoided', { n, eventId: odd?.id ?? '', reason: 'written by a release that was taken back' });
    await running.visibility.reached(await rename('a', 'four', running), soon());
    expect(await running.views.now().get(titles, 'a')).toEqual({ title: 'four', changes: 2 });
    expect(await running.views.asOf(4).get(titles, 'a')).toEqual({ title: 'four', changes: 2 });
    await until(async () => (await admin.parked('titles')).length === 0);
  });
});

describe('when its database lost the last moment, as after a failover', () => {
  /** The tables as they were before the second event. */
  async function goBack({ n, id }: { readonly n: number; readonly id: string }): Promise<void> {
    await database.pool.query(`
      WITH moved AS (UPDATE projection SET n = ${String(n)}, event_id = '${id}' RETURNING n)
      UPDATE ${unit.schema}.titles SET n = ${String(n)}, doc = '{"title":"one","changes":1}', title = 'one'`);
  }

  it('the runner makes up for it, though nothing new comes', async () => {
    const runner = await instance('runs');
    const first = await log.append('project-a', 'ProjectRenamed', { from: '', to: 'one' });
    const second = await rename('a', 'two', runner);
    await runner.visibility.reached(second, soon());
    await goBack(first);
    await until(async () => (await runner.views.now().get(titles, 'a'))?.title === 'two');
  });

  it('who waits for a write waits until it is there again', async () => {
    const runner = await instance('runs');
    const reader = await instance('reads');
    const first = await log.append('project-a', 'ProjectRenamed', { from: '', to: 'one' });
    const second = await rename('a', 'two', runner);
    await reader.visibility.reached(second, soon());
    await runner.close();
    instances.splice(instances.indexOf(runner), 1);
    await goBack(first);
    await until(() => Promise.resolve(reader.visibility.position() === first.n));
    await expect(reader.visibility.reached(second, Date.now() + 100)).rejects.toThrow(NotVisibleYet);
    await instance('runs');
    await reader.visibility.reached(second, soon());
    expect((await reader.views.now().get(titles, 'a'))?.title).toBe('two');
  });
});
