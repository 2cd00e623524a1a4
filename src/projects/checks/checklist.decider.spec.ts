import { describe, expect, it } from '@jest/globals';
import { decide } from '../../../test/support/decide.ts';
import { type AreaForm, type AreaSettings, emptyForm, type WantedArea } from '../areas/area.settings.ts';
import { type Checklist, checklist, type ChecklistEvent } from './checklist.decider.ts';
import {
  AreaNotFound,
  changeArea,
  changeCheck,
  clear,
  createArea,
  createCheck,
  deleteArea,
  nameCheck,
  noteFoundForm,
} from './check.decider.ts';
import type { CheckSettings } from './check.settings.ts';

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
/** Begins with the checklist of an open project. */
const given = (...events: readonly ChecklistEvent[]) => decide({ ...checklist, initial: begun }).given(...events);
const withTwoAreas = given(
  { type: 'AreaCreated', data: { areaId: 'a', settings: area } },
  { type: 'AreaCreated', data: { areaId: 'b', settings: { ...area, name: 'Shop' } } },
  { type: 'CheckCreated', data: { checkId: '1', areaId: 'a', settings } },
  { type: 'CheckCreated', data: { checkId: '2', areaId: 'b', settings } },
);
const twoAreas = withTwoAreas.state;

describe('the checklist of a project', () => {
  it('creates an area for the first check of a project without areas', () => {
    const events = createCheck(begun, { checkId: '1', areaId: null, settings, fallback });
    expect(events.map(({ type }) => type)).toEqual(['AreaCreated', 'CheckCreated']);
    expect(given(...events).state.checks.get('1')?.areaId).toBe('fallback');
  });

  it('adds a check without an area to the first one', () => {
    expect(createCheck(twoAreas, { checkId: '3', areaId: null, settings, fallback })).toMatchObject([
      { type: 'CheckCreated', data: { areaId: 'a' } },
    ]);
  });

  it('refuses an area of another project', () => {
    withTwoAreas.when((list) => createCheck(list, { checkId: '3', areaId: 'elsewhere', settings, fallback })).thenRefused('AREA_NOT_FOUND');
    withTwoAreas.when((list) => changeCheck(list, '1', { areaId: 'elsewhere' })).thenRefused('AREA_NOT_FOUND');
    withTwoAreas.when((list) => changeCheck(list, '9', {})).thenRefused('CHECK_NOT_FOUND');
  });

  it('records the old and the new value of a change, and nothing without one', () => {
    expect(changeCheck(twoAreas, '1', { ...settings, rules: [...settings.rules], areaId: 'a' })).toEqual([]);
    expect(changeCheck(twoAreas, '1', { enabled: false, areaId: 'b' })).toEqual([
      { type: 'CheckSwitched', data: { checkId: '1', from: true, to: false } },
      { type: 'CheckMoved', data: { checkId: '1', from: 'a', to: 'b' } },
    ]);
    const { form, httpAuth, ...shown } = area;
    expect([form, httpAuth]).toEqual([null, null]);
    expect(changeArea(twoAreas, 'a', { ...shown, form: emptyForm, httpAuth: { user: '', url: '' } }, SITE)).toEqual([]);
  });

  it('records a large value once', () => {
    const rules = (text: string) => [Array.from({ length: 40 }, () => ({ type: 'text', op: 'sub', val: text.repeat(900) }))];
    const before = changeArea(twoAreas, 'a', { rules: rules('x') }, SITE);
    expect(before).toMatchObject([{ type: 'AreaRulesChanged', data: { from: [] } }]);
    const changed = changeArea(before.reduce(checklist.evolve, twoAreas), 'a', { rules: rules('y'), name: 'Renamed' }, SITE);
    expect(changed).toEqual([
      { type: 'AreaRenamed', data: { areaId: 'a', from: 'Public', to: 'Renamed' } },
      { type: 'AreaRulesChanged', data: { areaId: 'a', to: rules('y') } },
    ]);
    expect(JSON.stringify(changed).length).toBeLessThan(1.01 * JSON.stringify(rules('y')).length + 200);
  });

  it('merges concurrent changes of different options of a check', () => {
    const [one, other] = [changeCheck(twoAreas, '1', { options: { g: true } }), { options: { l: true }, template: { id: 't' } }];
    const after = one.reduce(checklist.evolve, twoAreas);
    expect(changeCheck(after, '1', other)).toMatchObject([
      { type: 'CheckOptionsChanged', data: { to: { g: true, l: true } } },
      { type: 'CheckTemplateChanged', data: { to: { id: 't', vars: [] } } },
    ]);
  });

  it('names a check after the title of its page only while it exists without a name', () => {
    withTwoAreas.when((list) => nameCheck(list, '1', 'Shop')).then();
    withTwoAreas.when((list) => nameCheck(list, '9', 'Shop')).then();
    const nameless = given({ type: 'CheckCreated', data: { checkId: '1', areaId: 'a', settings: { ...settings, name: '' } } });
    nameless.when((list) => nameCheck(list, '1', 'Shop')).then({ type: 'CheckRenamed', data: { checkId: '1', from: '', to: 'Shop' } });
  });

  it('deletes an area with its checks, each with its event, and keeps the others', () => {
    const events = deleteArea(twoAreas, 'a');
    expect(events).toMatchObject([
      { type: 'CheckDeleted', data: { checkId: '1' } },
      { type: 'AreaDeleted', data: { areaId: 'a' } },
    ]);
    const left = events.reduce(checklist.evolve, twoAreas);
    expect([...left.checks.keys()]).toEqual(['2']);
  });

  it('is empty after it was cleared', () => {
    const left = clear(twoAreas).reduce(checklist.evolve, twoAreas);
    expect([left.areas.size, left.checks.size]).toEqual([0, 0]);
  });

  it('refuses areas and checks of a project that is not open', () => {
    expect(() => createArea(checklist.initial, 'c', area)).toThrow(AreaNotFound);
    expect(() => createCheck(checklist.initial, { checkId: '3', areaId: null, settings, fallback })).toThrow(AreaNotFound);
  });

  it('holds at most 2000 checks and 200 areas', () => {
    const groups = Array.from({ length: 199 }, (_, nth): ChecklistEvent => ({
      type: 'AreaCreated',
      data: { areaId: `g${String(nth)}`, settings: area },
    }));
    expect(createArea(given(...groups).state, 'a', area)).toHaveLength(1);
    expect(() => createArea(given(...groups, { type: 'AreaCreated', data: { areaId: 'a', settings: area } }).state, 'b', area)).toThrow(
      'at most 200',
    );
    const checks = Array.from({ length: 2_000 }, (_, nth): ChecklistEvent => ({
      type: 'CheckCreated',
      data: { checkId: `c${String(nth)}`, areaId: 'a', settings },
    }));
    const wanted = { checkId: '1', areaId: null, settings, fallback };
    expect(createCheck(given(...checks.slice(1)).state, wanted)).toHaveLength(2);
    expect(() => createCheck(given(...checks).state, wanted)).toThrow('at most 2000');
  });

  it('decides nothing when a creation is repeated', () => {
    withTwoAreas.when((list) => createArea(list, 'a', area)).then();
    withTwoAreas.when((list) => createCheck(list, { checkId: '1', areaId: 'a', settings, fallback })).then();
  });
});

describe('a sign-in form that differs from the saved one', () => {
  const form: AreaForm = {
    ...{ identifier: 'login', enabled: true, method: 'POST', action: '/in', originalAction: '/in', relativeAction: '/in' },
    ...{ baseUrl: 'https://site.example/in', params: null, html: '', checksum: 'saved' },
  };
  const saved = given({ type: 'AreaCreated', data: { areaId: 'a', settings: { ...area, form } } }).state;
  const found = { saved: form, found: 'found' };
  const changed = noteFoundForm(saved, 'a', found).reduce(checklist.evolve, saved);

  it('is recorded once', () => {
    expect(changed.foundForms.get('a')).toBe('found');
    expect(noteFoundForm(changed, 'a', found)).toEqual([]);
  });

  it.each<readonly [string, WantedArea]>([
    ['another form', { form: { ...form, checksum: 'other' } }],
    ['no form', { form: emptyForm }],
    ['a disabled form', { form: { ...form, enabled: false } }],
  ])('is not recorded when %s was saved in between', (_, wanted) => {
    const changedSince = changeArea(saved, 'a', wanted, SITE).reduce(checklist.evolve, saved);
    expect(noteFoundForm(changedSince, 'a', found)).toEqual([]);
  });

  it('is forgotten with its area', () => {
    expect(deleteArea(changed, 'a').reduce(checklist.evolve, changed).foundForms.size).toBe(0);
  });

  it.each<readonly [string, WantedArea]>([
    ['unchanged', { form }],
    ['under another name', { name: 'Members' }],
    ['without fields', {}],
  ])('becomes the saved one when the area is saved again %s', (_, wanted) => {
    const again = changeArea(changed, 'a', wanted, SITE).reduce(checklist.evolve, changed);
    expect(again.foundForms.has('a')).toBe(false);
    expect(again.areas.get('a')?.form?.checksum).toBe('found');
  });

  it.each([{ baseUrl: 'https://site.example/other' }, { identifier: 'other' }])(
    'is not recorded when %p was saved in between',
    (member) => {
      const changedSince = changeArea(saved, 'a', { form: { ...form, ...member } }, SITE).reduce(checklist.evolve, saved);
      expect(noteFoundForm(changedSince, 'a', found)).toEqual([]);
    },
  );

  it('is replaced by another form, or by none', () => {
    const other = changeArea(changed, 'a', { form: { ...form, checksum: 'other' } }, SITE).reduce(checklist.evolve, changed);
    expect(other.areas.get('a')?.form?.checksum).toBe('other');
    const without = changeArea(changed, 'a', { form: emptyForm }, SITE).reduce(checklist.evolve, changed);
    expect(without.areas.get('a')?.form).toBeNull();
  });
});

describe('a sign-in form that was saved without a checksum', () => {
  const form: AreaForm = { ...emptyForm, identifier: 'login', enabled: true, baseUrl: 'https://site.example/in' };
  const saved = given({ type: 'AreaCreated', data: { areaId: 'a', settings: { ...area, form } } }).state;
  const note = (list: typeof saved, found: string) => noteFoundForm(list, 'a', { saved: form, found });
  const after = (list: typeof saved, events: readonly ChecklistEvent[]) => events.reduce(checklist.evolve, list);
  const found = after(saved, note(saved, 'first'));

  it('is compared with the first one that was found, which is recorded once', () => {
    expect(note(saved, 'first')).toEqual([{ type: 'AreaFormFirstFound', data: { areaId: 'a', checksum: 'first' } }]);
    expect(note(found, 'first')).toEqual([]);
    const changed = [{ type: 'AreaFormFoundChanged', data: { areaId: 'a', checksum: 'second' } }];
    expect(note(found, 'second')).toEqual(changed);
    expect(note(after(found, note(found, 'second')), 'second')).toEqual([]);
  });

  it('keeps its first checksum when another setting of its area is saved', () => {
    const renamed = after(found, changeArea(found, 'a', { name: 'Members' }, SITE));
    expect(note(renamed, 'first')).toEqual([]);
  });

  it.each<readonly [string, WantedArea]>([
    ['with another action', { form: { ...form, action: '/in' } }],
    ['after it was removed', { form: emptyForm }],
  ])('starts anew when it is saved %s', (_, wanted) => {
    const other = after(found, changeArea(found, 'a', wanted, SITE));
    const again = after(other, changeArea(other, 'a', { form }, SITE));
    expect(again.firstForms.size).toBe(0);
    expect(note(again, 'second')).toEqual([{ type: 'AreaFormFirstFound', data: { areaId: 'a', checksum: 'second' } }]);
  });

  it('takes the checksum of the form as found when its area is saved after a change', () => {
    const changed = after(found, note(found, 'second'));
    const again = after(changed, changeArea(changed, 'a', { form }, SITE));
    expect(again.areas.get('a')?.form?.checksum).toBe('second');
  });

  it('is forgotten with its area', () => {
    expect(after(found, deleteArea(found, 'a')).firstForms.size).toBe(0);
  });
});
