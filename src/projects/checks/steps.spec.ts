import { describe, expect, it } from '@jest/globals';
import { publicArea } from '../areas/area.settings.ts';
import { checklist, type Checklist, type ChecklistEvent } from './checklist.decider.ts';
import { changeCheck, createCheck, deleteCheck } from './check.decider.ts';
import { presetCheck } from './preset.ts';
import type { CheckOptions } from './check.settings.ts';

const created = [
  { type: 'ProjectCreated', data: {} },
  { type: 'AreaCreated', data: { areaId: 'a', settings: publicArea } },
  { type: 'AreaCreated', data: { areaId: 'b', settings: publicArea } },
] as unknown as readonly ChecklistEvent[];
const empty = created.reduce<Checklist>(checklist.evolve, checklist.initial);
const after = (list: Checklist, events: readonly ChecklistEvent[]): Checklist => events.reduce<Checklist>(checklist.evolve, list);

function create(list: Checklist, checkId: string, options: Partial<CheckOptions>, areaId = 'a'): readonly ChecklistEvent[] {
  const preset = presetCheck(checkId, '/', 'simple', []);
  const settings = { ...preset, options: { ...preset.options, ...options } };
  return createCheck(list, { checkId, areaId, settings, fallback: { areaId, settings: publicArea } });
}

const gives = { extract: [{ name: 'token', from: 'json:$.token' }] };
const uses = { uses: ['token'] };

describe('the values that a check uses', () => {
  const list = after(empty, create(empty, 'login', gives));

  it('come from an earlier check of its group', () => {
    expect(create(list, 'page', uses)).toHaveLength(1);
    expect(() => create(empty, 'page', uses)).toThrow('options.uses: no earlier test of the group extracts "token"');
    expect(() => create(list, 'page', uses, 'b')).toThrow('no earlier test of the group');
    expect(() => create(list, 'page', { uses: ['other'] })).toThrow('"other"');
  });

  it('do not come from the check itself or a later one, so there are no cycles', () => {
    expect(() => create(empty, 'page', { ...gives, ...uses })).toThrow('no earlier test');
    const both = after(list, create(list, 'page', { extract: [{ name: 'id', from: 'header:x-id' }] }));
    expect(() => changeCheck(both, 'login', { options: { uses: ['id'] } })).toThrow('no earlier test');
    expect(changeCheck(both, 'page', { options: uses })).toHaveLength(1);
  });

  it('keep a check from moving to a group where they are unknown', () => {
    const both = after(list, create(list, 'page', uses));
    expect(() => changeCheck(both, 'page', { areaId: 'b' })).toThrow('no earlier test');
    const moved = after(both, changeCheck(both, 'login', { areaId: 'b' }));
    expect(changeCheck(moved, 'page', { areaId: 'b' })).toHaveLength(1);
  });

  it('do not keep a check from other changes after the giver went away', () => {
    const both = after(list, create(list, 'page', uses));
    const without = after(both, deleteCheck(both, 'login'));
    expect(changeCheck(without, 'page', { name: 'Page' })).toHaveLength(1);
    expect(changeCheck(without, 'page', { options: { uses: [] } })).toHaveLength(1);
  });
});
