import { describe, expect, it } from '@jest/globals';
import { eventually, useViewWorld, soon, titles, titlesOf, unit, type ViewWorld } from '../../../../test/support/view-world.ts';
import { viewUnit } from './unit.ts';
import { runnerLeaseOf } from '../engine/schema-names.ts';
import { dropRetiredVersions } from '../engine/schemas.ts';

const raised = viewUnit('spec', [titlesOf(2)]);

let world: ViewWorld;
useViewWorld((fresh) => {
  world = fresh;
});

describe('a rolling upgrade', () => {
  it('shows writes through either version to readers of both', async () => {
    const old = await world.instance('runs');
    await old.readYourWrites.waitForPosition(await world.rename('a', 'before', old), soon());
    const fresh = await world.instance('runs', raised);
    await fresh.readYourWrites.waitForPosition(0, soon());
    await eventually(() => Promise.resolve(fresh.readYourWrites.lag() < 1));
    // Each discovers the other's tables at its next poll.
    await eventually(() =>
      Promise.resolve(
        [old, fresh].every(({ readYourWrites }) => (Reflect.get(readYourWrites, 'otherVersions') as readonly string[]).length === 1),
      ),
    );
    for (let round = 0; round < 20; round++) {
      const [by, other] = round % 2 === 0 ? [old, fresh] : [fresh, old];
      await by.readYourWrites.waitForPosition(await world.rename('a', `round ${String(round)}`, old, fresh), soon());
      expect(await other.views.now().get(titles, 'a')).toEqual({ title: `round ${String(round)}`, changes: round + 2 });
    }
    await world.end(old);
    await fresh.readYourWrites.waitForPosition(await world.rename('a', 'after', fresh), soon());
  });
});

describe('a superseded version', () => {
  it('is kept while an instance runs it, even in a silent log, and dropped a day after', async () => {
    const old = await world.instance('runs');
    await old.readYourWrites.waitForPosition(await world.rename('a', 'before', old), soon());
    const fresh = await world.instance('runs', raised);
    await fresh.readYourWrites.waitForPosition(0, soon());
    const twoDaysAgo = (column: string) => `${column} = ${column} - interval '2 days'`;
    await world.pool.query(`UPDATE projection SET ${['created_at', 'live_at', 'moved_at'].map(twoDaysAgo).join(', ')}`);
    const kept = async (): Promise<boolean> => {
      await dropRetiredVersions(world.pool, raised.schema);
      return (await world.pool.query('SELECT FROM projection WHERE schema = $1', [unit.schema])).rowCount === 1;
    };
    expect(await kept()).toBe(true);
    expect(await old.views.now().get(titles, 'a')).toEqual({ title: 'before', changes: 1 });
    await world.end(old);
    expect(await kept()).toBe(true);
    await world.pool.query(`UPDATE lease SET ${twoDaysAgo('heartbeat')} WHERE name = $1`, [runnerLeaseOf(unit.schema)]);
    expect(await kept()).toBe(false);
  });
});
