import { describe, expect, it } from '@jest/globals';
import { checklist, type ChecklistEvent } from './checklist.decider.ts';
import { type FirstChecks, createFirstChecks } from './first-checks.ts';
import { linkCheck } from './preset.ts';
import type { CheckSettings } from './check.settings.ts';

const open = { ...checklist.initial, open: true };
const check = (name: string, options: Partial<CheckSettings['options']> = {}): CheckSettings => {
  const made = linkCheck(name, `/${name}`);
  return { ...made, options: { ...made.options, ...options } };
};

function begin(first: Partial<FirstChecks>): readonly ChecklistEvent[] {
  let ids = 0;
  return createFirstChecks(open, { groups: [], checks: [], ...first }, () => `id ${String(++ids)}`);
}

const namesByGroup = (events: readonly ChecklistEvent[]): readonly (readonly [string, readonly string[]])[] => {
  const list = events.reduce(checklist.evolve, open);
  return [...list.areas].map(([areaId, { name }]) => [
    name,
    [...list.checks].filter(([, listed]) => listed.areaId === areaId).map(([, listed]) => listed.settings.name),
  ]);
};

describe('the groups and checks of a new project', () => {
  it('stand in the order of the request, those without a group in the first one', () => {
    const shop = { wanted: { name: 'Shop' }, checks: [check('basket'), check('pay')] };
    const blog = { wanted: { name: 'Blog' }, checks: [check('feed')] };
    expect(namesByGroup(begin({ groups: [shop, blog], checks: [check('home')] }))).toEqual([
      ['Shop', ['basket', 'pay', 'home']],
      ['Blog', ['feed']],
    ]);
  });

  it('makes one group for checks without any', () => {
    expect(namesByGroup(begin({ checks: [check('one'), check('two')] }))).toEqual([['Public', ['one', 'two']]]);
  });

  it('holds checks and groups to the limits of a project, and values to earlier checks of their group', () => {
    const many = Array.from({ length: 2_001 }, (_, place) => check(`c${String(place)}`));
    expect(() => begin({ checks: many })).toThrow('A project holds at most 2000 tests.');
    const groups = Array.from({ length: 201 }, () => ({ wanted: {}, checks: [] }));
    expect(() => begin({ groups })).toThrow('A project holds at most 200 groups.');
    expect(() => begin({ checks: [check('one', { uses: ['token'] })] })).toThrow('no earlier test of the group extracts "token"');
  });
});
