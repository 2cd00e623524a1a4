import { describe, expect, it } from '@jest/globals';
import { eventually, useViewWorld, soon, type Title, titles, unit, type ViewWorld } from '../../../../test/support/view-world.ts';
import { thorough } from '../../../../test/support/thorough.ts';
import { ProjectionAdmin } from '../admin/projection-admin.ts';
import { NotVisibleYet, ReadsBehind } from '../engine/read-your-writes.ts';

let world: ViewWorld;
useViewWorld((fresh) => {
  world = fresh;
});

describe('reading what was written', () => {
  it('holds on the instance that runs the views and on one that does not', async () => {
    const running = await world.instance('runs');
    const other = await world.instance('reads');
    for (let round = 0; round < 20; round++) {
      const n = await world.rename('a', `title ${String(round)}`, running);
      const through = round % 2 === 0 ? running : other;
      await through.readYourWrites.waitForPosition(n, soon());
      expect(await through.views.now().get(titles, 'a')).toEqual({ title: `title ${String(round)}`, changes: round + 1 });
    }
    await eventually(() => Promise.resolve(other.readYourWrites.lag() < 2));
  });

  it('fails when no instance runs the views, and the gate refuses further writes', async () => {
    const running = await world.instance('runs');
    const other = await world.instance('reads');
    await other.readYourWrites.waitForPosition(await world.rename('a', 'one', running), soon());
    await world.end(running);
    const n = await world.rename('a', 'two');
    await expect(other.readYourWrites.waitForPosition(n, Date.now() + 100)).rejects.toThrow(NotVisibleYet);
    await eventually(() => Promise.resolve(other.readYourWrites.lag() > 2));
    expect(() => other.readYourWrites.check()).toThrow(ReadsBehind);
  });

  it('continues on the second instance when the first one stops', async () => {
    const first = await world.instance('runs');
    const second = await world.instance('runs');
    await second.readYourWrites.waitForPosition(await world.rename('a', 'one', first, second), soon());
    await world.end(first);
    await second.readYourWrites.waitForPosition(await world.rename('a', 'two', second), soon());
    expect(await second.views.now().get(titles, 'a')).toEqual({ title: 'two', changes: 2 });
  });

  it('applies every event exactly once while connections are cut', async () => {
    const [first, second] = [await world.instance('runs'), await world.instance('runs')];
    const rounds = thorough(60, 24);
    let last = -1;
    for (let round = 0; round < rounds; round++) {
      last = await world.rename('a', `title ${String(round)}`, first, second);
      if (round % 6 === 5) {
        await world.pool.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()
          AND application_name IN ('watchledger core', 'watchledger leases')`);
      }
    }
    await second.readYourWrites.waitForPosition(last, soon());
    await first.readYourWrites.waitForPosition(last, soon());
    expect(await second.views.now().get(titles, 'a')).toEqual({ title: `title ${String(rounds - 1)}`, changes: rounds });
  });
});

describe('several reads', () => {
  it('see one position of the log within a snapshot', async () => {
    const running = await world.instance('runs');
    await running.readYourWrites.waitForPosition(await world.rename('a', 'one', running), soon());
    const seen = await running.views.snapshot(async (views) => {
      const first = await views.get(titles, 'a');
      await running.readYourWrites.waitForPosition(await world.rename('a', 'two', running), soon());
      return [first, await views.get(titles, 'a'), views.position()];
    });
    expect(seen).toEqual([{ title: 'one', changes: 1 }, { title: 'one', changes: 1 }, 0]);
    expect(await running.views.now().get(titles, 'a')).toEqual({ title: 'two', changes: 2 });
  });
});

describe('a log that became shorter', () => {
  it('fails the views until an operator rebuilds them', async () => {
    const running = await world.instance('runs');
    for (const title of ['one', 'two', 'three'])
      await running.readYourWrites.waitForPosition(await world.rename('a', title, running), soon());
    await world.pool.query('DELETE FROM log WHERE n > 0');
    const state = async () =>
      (await world.pool.query<{ state: string; error: string | null }>('SELECT state, error FROM projection')).rows[0];
    await eventually(async () => (await state())?.state === 'failed');
    expect((await state())?.error).toContain('the log ends at 0');
    await eventually(() => Promise.resolve(running.readYourWrites.lag() > 2));
    expect(() => running.readYourWrites.check()).toThrow(ReadsBehind);
    await world.pool.query('UPDATE projection SET rebuild = true');
    await eventually(async () => (await state())?.state === 'live');
    expect(await running.views.now().get(titles, 'a')).toEqual({ title: 'one', changes: 1 });
  });
});

describe('a rebuild', () => {
  it('swaps the tables while writes continue, without events that were voided during the fill', async () => {
    const count = thorough(6_000, 1_500);
    await world.log.appendAll(
      Array.from({ length: count }, (_, index) => ({
        scope: `project-${String(index % 500)}`,
        type: 'ProjectRenamed',
        data: { from: '', to: `t${String(index)}` },
      })),
    );
    const running = await world.instance('runs');
    await running.readYourWrites.waitForPosition(count - 1, soon());
    await world.pool.query(`UPDATE ${unit.schema}.titles SET doc = '{"title":"wrong"}'`);
    const tableOid = async () =>
      (await world.pool.query<{ oid: string }>(`SELECT '${unit.schema}.titles'::regclass::oid::text AS oid`)).rows[0]?.oid;
    const before = await tableOid();
    await world.pool.query('UPDATE projection SET rebuild = true');
    running.wake.ring('projections');
    let written = 0;
    await eventually(async () => {
      await world.rename(String(written % 500), `during ${String(written++)}`, running);
      if (written === 3) await world.log.append('system', 'EventVoided', { n: count - 1, eventId: 'x', reason: 'mistake' });
      return (await tableOid()) !== before;
    });
    await running.readYourWrites.waitForPosition(await world.rename('499', 'last', running), soon());
    const { rows } = await world.pool.query<{ key: string; doc: Title }>(`SELECT key, doc FROM ${unit.schema}.titles`);
    expect(rows).toHaveLength(500);
    const now = await world.log.head();
    for (const { key, doc } of rows.slice(0, 50))
      expect(doc).toEqual(
        await running.views
          .asOf(now)
          .list(titles, { scope: `project-${key}` })
          .then(([item]) => item?.row),
      );
    expect(rows.filter(({ doc }) => doc.title === 'wrong')).toEqual([]);
    const { rows: states } = await world.pool.query('SELECT schema, state, rebuild FROM projection');
    expect(states).toEqual([{ schema: unit.schema, state: 'live', rebuild: false }]);
    expect(running.errors).toEqual([]);
  });
});

describe('a first fill', () => {
  it('fails on an event that cannot be applied, and succeeds once it is voided', async () => {
    await world.rename('a', 'one');
    await world.rename('a', 'POISON');
    await world.rename('a', 'three');
    const running = await world.instance('runs');
    const state = async () =>
      (await world.pool.query<{ state: string; error: string | null }>('SELECT state, error FROM projection')).rows[0];
    await eventually(async () => (await state())?.state === 'failed');
    expect((await state())?.error).toContain('ProjectRenamed at 1');
    expect(() => running.readYourWrites.check()).toThrow(ReadsBehind);
    const parked = async () => (await world.pool.query('SELECT view, key, n::int FROM projection_parked')).rows;
    await eventually(async () => (await parked()).length === 1);
    expect(await parked()).toEqual([{ view: 'titles', key: 'a', n: 1 }]);
    const { n } = await world.log.append('system', 'EventVoided', { n: 1, eventId: 'x', reason: 'bad title' });
    await running.readYourWrites.waitForPosition(n, soon());
    expect(await running.views.now().get(titles, 'a')).toEqual({ title: 'three', changes: 2 });
    expect(await parked()).toEqual([]);
  });

  it('stops at an unreadable event, lists it as parked, and continues once it is voided', async () => {
    const running = await world.instance('runs');
    await running.readYourWrites.waitForPosition(await world.rename('a', 'one', running), soon());
    const [odd] = await world.log.appendAll([{ scope: 'project-a', type: 'ProjectRenamed', version: 0, data: { from: '', to: 'two' } }]);
    await world.rename('b', 'three', running);
    const admin = new ProjectionAdmin(world.pool, running.wake, unit);
    await eventually(async () => (await admin.parked('titles')).length === 1);
    expect(await admin.parked('titles')).toMatchObject([{ eventId: odd?.id, n: 1, error: expect.stringContaining('no upcaster') }]);
    const { n, only } = await admin.skipOf('titles', odd?.id ?? '');
    expect([n, only]).toEqual([1, null]);
    await world.log.append('system', 'EventVoided', { n, eventId: odd?.id ?? '', reason: 'written by a release that was taken back' });
    await running.readYourWrites.waitForPosition(await world.rename('a', 'four', running), soon());
    expect(await running.views.now().get(titles, 'a')).toEqual({ title: 'four', changes: 2 });
    expect(await running.views.asOf(4).get(titles, 'a')).toEqual({ title: 'four', changes: 2 });
    await eventually(async () => (await admin.parked('titles')).length === 0);
  });
});

describe('after a failover that lost the last commits', () => {
  /** The tables as they were before the second event. */
  async function goBack({ n, id }: { readonly n: number; readonly id: string }): Promise<void> {
    await world.pool.query(`
      WITH moved AS (UPDATE projection SET n = ${String(n)}, event_id = '${id}' RETURNING n)
      UPDATE ${unit.schema}.titles SET n = ${String(n)}, doc = '{"title":"one","changes":1}', title = 'one'`);
  }

  it('the runner applies the lost events again, without a new event', async () => {
    const runner = await world.instance('runs');
    const first = await world.log.append('project-a', 'ProjectRenamed', { from: '', to: 'one' });
    const second = await world.rename('a', 'two', runner);
    await runner.readYourWrites.waitForPosition(second, soon());
    await goBack(first);
    await eventually(async () => (await runner.views.now().get(titles, 'a'))?.title === 'two');
  });

  it('a reader waits until the write is visible again', async () => {
    const runner = await world.instance('runs');
    const reader = await world.instance('reads');
    const first = await world.log.append('project-a', 'ProjectRenamed', { from: '', to: 'one' });
    const second = await world.rename('a', 'two', runner);
    await reader.readYourWrites.waitForPosition(second, soon());
    await world.end(runner);
    await goBack(first);
    await eventually(() => Promise.resolve(reader.readYourWrites.position() === first.n));
    await expect(reader.readYourWrites.waitForPosition(second, Date.now() + 100)).rejects.toThrow(NotVisibleYet);
    await world.instance('runs');
    await reader.readYourWrites.waitForPosition(second, soon());
    expect((await reader.views.now().get(titles, 'a'))?.title).toBe('two');
  });
});
