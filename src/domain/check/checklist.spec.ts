import { describe, expect, it } from '@jest/globals';
import { type AreaForm, type AreaSettings, emptyForm, type WantedArea } from '../area/settings.ts';
import { type Checklist, checklist, type ChecklistEvent } from './checklist.ts';
import {
  AreaNotFound,
  changeArea,
  changeCheck,
  CheckNotFound,
  clear,
  createArea,
  createCheck,
  deleteArea,
  nameCheck,
  noteFoundForm,
} from './decisions.ts';
import type { CheckSettings } from './settings.ts';

const SITE = 'https://site.example/';
const area: AreaSettings = { name: 'Public', public: true, rules: [], form: null, httpAuth: null, period: 'true', headers: null };
const settings: CheckSettings = {
  name: 'Homepage',
  url: '/',
  enabled: true,
  notice: '',
  type: 'simple',
  rules: [{ type: 'status', op: 'eq', val: '200', origin: '', templateId: '', order: 0 }],
  options: { '2': false, '6': false, g: false, l: false, w: null },
  template: { id: '', vars: [] },
};
const fallback = { areaId: 'fallback', settings: area };
const begun: Checklist = { ...checklist.initial, open: true };
const given = (...events: readonly ChecklistEvent[]): Checklist => events.reduce(checklist.evolve, begun);
const twoAreas = given(
  { type: 'AreaCreated', data: { areaId: 'a', settings: area } },
  { type: 'AreaCreated', data: { areaId: 'b', settings: { ...area, name: 'Shop' } } },
  { type: 'CheckCreated', data: { checkId: '1', areaId: 'a', settings } },
  { type: 'CheckCreated', data: { checkId: '2', areaId: 'b', settings } },
);

describe('the checklist of a project', () => {
  it('makes a group for the first check of a project that has none', () => {
    const events = createCheck(begun, { checkId: '1', areaId: null, settings, fallback });
    expect(events.map(({ type }) => type)).toEqual(['AreaCreated', 'CheckCreated']);
    expect(given(...events).checks.get('1')?.areaId).toBe('fallback');
  });

  it('puts a check without a group into the first one', () => {
    expect(createCheck(twoAreas, { checkId: '3', areaId: null, settings, fallback })).toMatchObject([
      { type: 'CheckCreated', data: { areaId: 'a' } },
    ]);
  });

  it('refuses a group of another project', () => {
    expect(() => createCheck(twoAreas, { checkId: '3', areaId: 'elsewhere', settings, fallback })).toThrow(AreaNotFound);
    expect(() => changeCheck(twoAreas, '1', { areaId: 'elsewhere' })).toThrow(AreaNotFound);
    expect(() => changeCheck(twoAreas, '9', {})).toThrow(CheckNotFound);
  });

  it('says nothing when what is sent back is what there is, and names old and new otherwise', () => {
    expect(changeCheck(twoAreas, '1', { ...settings, rules: [...settings.rules], areaId: 'a' })).toEqual([]);
    expect(changeCheck(twoAreas, '1', { enabled: false, areaId: 'b' })).toEqual([
      { type: 'CheckSwitched', data: { checkId: '1', from: true, to: false } },
      { type: 'CheckMoved', data: { checkId: '1', from: 'a', to: 'b' } },
    ]);
    const { form, httpAuth, ...shown } = area;
    expect([form, httpAuth]).toEqual([null, null]);
    expect(changeArea(twoAreas, 'a', { ...shown, form: emptyForm, httpAuth: { user: '', url: '' } }, SITE)).toEqual([]);
  });

  it('lets two who change different options of a check both have their way', () => {
    const [one, other] = [changeCheck(twoAreas, '1', { options: { g: true } }), { options: { l: true }, template: { id: 't' } }];
    const after = one.reduce(checklist.evolve, twoAreas);
    expect(changeCheck(after, '1', other)).toMatchObject([
      { type: 'CheckOptionsChanged', data: { to: { g: true, l: true } } },
      { type: 'CheckTemplateChanged', data: { to: { id: 't', vars: [] } } },
    ]);
  });

  it('names a check after the title of its page only while nobody has named it, and while it is there', () => {
    expect(nameCheck(twoAreas, '1', 'Shop')).toEqual([]);
    expect(nameCheck(twoAreas, '9', 'Shop')).toEqual([]);
    const nameless = given({ type: 'CheckCreated', data: { checkId: '1', areaId: 'a', settings: { ...settings, name: '' } } });
    expect(nameCheck(nameless, '1', 'Shop')).toEqual([{ type: 'CheckRenamed', data: { checkId: '1', from: '', to: 'Shop' } }]);
  });

  it('deletes the checks of a group with it, each with its event, and leaves the others', () => {
    const events = deleteArea(twoAreas, 'a');
    expect(events).toMatchObject([
      { type: 'CheckDeleted', data: { checkId: '1' } },
      { type: 'AreaDeleted', data: { areaId: 'a' } },
    ]);
    const left = events.reduce(checklist.evolve, twoAreas);
    expect([...left.checks.keys()]).toEqual(['2']);
  });

  it('is empty after everything was cleared', () => {
    const left = clear(twoAreas).reduce(checklist.evolve, twoAreas);
    expect([left.areas.size, left.checks.size]).toEqual([0, 0]);
  });

  it('takes nothing in a project that is not open', () => {
    expect(() => createArea(checklist.initial, 'c', area)).toThrow(AreaNotFound);
    expect(() => createCheck(checklist.initial, { checkId: '3', areaId: null, settings, fallback })).toThrow(AreaNotFound);
  });

  it('holds 2000 checks and 200 groups, and no more', () => {
    const groups = Array.from({ length: 199 }, (_, nth): ChecklistEvent => ({
      type: 'AreaCreated',
      data: { areaId: `g${String(nth)}`, settings: area },
    }));
    expect(createArea(given(...groups), 'a', area)).toHaveLength(1);
    expect(() => createArea(given(...groups, { type: 'AreaCreated', data: { areaId: 'a', settings: area } }), 'b', area)).toThrow(
      'at most 200',
    );
    const checks = Array.from({ length: 2_000 }, (_, nth): ChecklistEvent => ({
      type: 'CheckCreated',
      data: { checkId: `c${String(nth)}`, areaId: 'a', settings },
    }));
    const wanted = { checkId: '1', areaId: null, settings, fallback };
    expect(createCheck(given(...checks.slice(1)), wanted)).toHaveLength(2);
    expect(() => createCheck(given(...checks), wanted)).toThrow('at most 2000');
  });

  it('finds what a repeated creation already made', () => {
    expect(createArea(twoAreas, 'a', area)).toEqual([]);
    expect(createCheck(twoAreas, { checkId: '1', areaId: 'a', settings, fallback })).toEqual([]);
  });
});

describe('a sign-in form that is not as it was saved', () => {
  const form: AreaForm = {
    ...{ identifier: 'login', enabled: true, method: 'POST', action: '/in', originalAction: '/in', relativeAction: '/in' },
    ...{ baseUrl: 'https://site.example/in', params: null, html: '', checksum: 'saved' },
  };
  const saved = given({ type: 'AreaCreated', data: { areaId: 'a', settings: { ...area, form } } });
  const found = { saved: 'saved', found: 'found' };
  const changed = noteFoundForm(saved, 'a', found).reduce(checklist.evolve, saved);

  it('is told once', () => {
    expect(changed.foundForms.get('a')).toBe('found');
    expect(noteFoundForm(changed, 'a', found)).toEqual([]);
  });

  it.each<readonly [string, WantedArea]>([
    ['another form', { form: { ...form, checksum: 'other' } }],
    ['none', { form: emptyForm }],
    ['a form that is not used', { form: { ...form, enabled: false } }],
  ])('is not told of %s, which was saved while that one was looked at', (_, wanted) => {
    const meanwhile = changeArea(saved, 'a', wanted, SITE).reduce(checklist.evolve, saved);
    expect(noteFoundForm(meanwhile, 'a', found)).toEqual([]);
  });

  it('is forgotten with its group', () => {
    expect(deleteArea(changed, 'a').reduce(checklist.evolve, changed).foundForms.size).toBe(0);
  });

  it.each<readonly [string, WantedArea]>([
    ['as it was', { form }],
    ['by another name', { name: 'Members' }],
    ['without a word', {}],
  ])('is what the group has from then on, once it is saved again %s', (_, wanted) => {
    const again = changeArea(changed, 'a', wanted, SITE).reduce(checklist.evolve, changed);
    expect(again.foundForms.has('a')).toBe(false);
    expect(again.areas.get('a')?.form?.checksum).toBe('found');
  });

  it('gives way to another form, and to none', () => {
    const other = changeArea(changed, 'a', { form: { ...form, checksum: 'other' } }, SITE).reduce(checklist.evolve, changed);
    expect(other.areas.get('a')?.form?.checksum).toBe('other');
    const without = changeArea(changed, 'a', { form: emptyForm }, SITE).reduce(checklist.evolve, changed);
    expect(without.areas.get('a')?.form).toBeNull();
  });
});
