import { describe, expect, it } from '@jest/globals';
import { defaultNotifications } from '../alerts/preferences/preference.settings.ts';
import { initialSettings } from '../projects/project.settings.ts';
import { InvalidInput } from '../kernel/errors.ts';
import { publicArea } from '../projects/areas/area.settings.ts';
import type { CheckSettings } from '../projects/checks/check.settings.ts';
import { decideSite, PlanStale, type SiteDecision, type SiteOptions, TooManyDeletions } from './site.decider.ts';
import { type SiteState, site } from './site.ts';
import type { WantedSite, WantedSiteCheck, WantedSiteGroup } from './wanted-site.ts';

const OWNER = 1;
const NOW = Date.parse('2026-11-26T12:00:00Z');
const sealed = (text: string) => ({ subject: 'project-p', sealed: text });

const settings = {
  ...initialSettings({ url: 'https://shop.example/', host: 'shop.example', period: null }, { defaultPeriod: '1 day' }, 'eu'),
  key: 'shop',
};

const check = (name: string, more: Partial<CheckSettings> = {}, keeps: readonly string[] = []): WantedSiteCheck => ({
  keeps,
  settings: {
    ...{ name, url: `/${name}`, enabled: true, notice: '', type: 'simple', rules: [], template: { id: '', vars: [] } },
    options: { '2': false, '6': false, g: false, l: false, w: null },
    ...more,
  },
});

const group = (name: string, checks: readonly WantedSiteCheck[] = [], more: Partial<WantedSiteGroup> = {}): WantedSiteGroup => ({
  ...{ settings: { name }, checks, keeps: [] },
  ...more,
});

const wanted = (groups: readonly WantedSiteGroup[], more: Partial<WantedSite> = {}): WantedSite => ({
  ...{ settings, groups, notifications: undefined, objective: undefined, maintenance: undefined },
  ...more,
});

function decide(before: SiteState, site: WantedSite, more: Partial<SiteOptions> = {}): SiteDecision {
  // Ids do not repeat from one decision to the next.
  const prefix = `${String(before[1].areas.size)}-${String(before[1].checks.size)}`;
  return decideSite(before, site, { by: OWNER, now: NOW, prune: 'none', idOf: (ordinal) => `${prefix}-${String(ordinal)}`, ...more });
}

const created = { projectId: 'p', payerId: OWNER, apiKey: sealed('key'), preset: false };
const begun = (site: WantedSite): SiteState => decide(initial, site, { created }).after;
const initial: SiteState = site.initial;
const types = ({ events }: SiteDecision): readonly string[] => events.map(({ type }) => type);

describe('a site file', () => {
  it('makes a new project with its groups and checks in their order', () => {
    const decision = decide(initial, wanted([group('Public', [check('a'), check('b')]), group('Staff', [check('c')])]), { created });
    expect(types(decision)).toEqual(['ProjectCreated', 'AreaCreated', 'AreaCreated', 'CheckCreated', 'CheckCreated', 'CheckCreated']);
    expect([...decision.after[1].checks.values()].map(({ settings: { name } }) => name)).toEqual(['a', 'b', 'c']);
  });

  it('changes nothing where the project is as it says', () => {
    const file = wanted([group('Public', [check('a', { key: 'one' })])], { notifications: defaultNotifications });
    expect(types(decide(begun(file), file))).toEqual([]);
  });

  it('changes each setting that differs, and keeps what it leaves alone', () => {
    const before = begun(wanted([group('Public', [check('a'), check('b')])]));
    const decision = decide(
      before,
      wanted([group('Public', [check('a', { url: '/other' })])], { settings: { ...settings, period: '1 hour' } }),
    );
    expect(types(decision)).toEqual(['PeriodChanged', 'CheckUrlChanged']);
    expect(decision.unlisted).toEqual([[...before[1].checks.keys()][1]]);
  });

  it('renames an object with a key, and moves a check to another group, without losing its history', () => {
    const before = begun(wanted([group('Public', [check('a', { key: 'one' })]), group('Staff')]));
    const [id] = [...before[1].checks.keys()];
    const decision = decide(before, wanted([group('Public'), group('Staff', [check('z', { key: 'one', url: '/a' })])]));
    expect(decision.events).toMatchObject([
      { type: 'CheckRenamed', data: { checkId: id, from: 'a', to: 'z' } },
      { type: 'CheckMoved', data: { checkId: id } },
    ]);
  });

  it('adopts an object by its name and remembers its key', () => {
    const before = begun(wanted([group('Public', [check('a')])]));
    const decision = decide(
      before,
      wanted([group('Public', [check('a', { key: 'one' })], { settings: { name: 'Public', key: 'pages' } })]),
    );
    expect(types(decision)).toEqual(['AreaKeyChanged', 'CheckKeyChanged']);
    expect(types(decide(decision.after, wanted([group('Public', [check('a')])])))).toEqual([]);
  });

  it('resets what it leaves out to what a new object has', () => {
    const before = begun(
      wanted([
        group('Public', [check('a', { options: { '2': false, '6': false, g: true, l: false, w: sealed('x'), method: 'POST' } })], {
          settings: { name: 'Public', httpAuth: { user: 'u', password: sealed('p'), url: '' }, headers: sealed('h'), period: '1 hour' },
        }),
      ]),
    );
    const file = wanted([group('Public', [check('a')])]);
    const decision = decide(before, file);
    expect(types(decision)).toEqual(['AreaSignInChanged', 'AreaPeriodChanged', 'AreaHeadersChanged', 'CheckOptionsChanged']);
    expect([...decision.after[1].areas.values()]).toEqual([publicArea]);
    expect(types(decide(decision.after, file))).toEqual([]);
  });

  it('leaves the name that a check took from its page', () => {
    const file = wanted([group('Public', [check('', { key: 'one', url: '/a' })])]);
    const before = begun(file);
    const [id = ''] = [...before[1].checks.keys()];
    const named = site.evolve(before, { type: 'CheckRenamed', data: { checkId: id, from: '', to: 'Title of the page' } });
    expect(types(decide(named, file))).toEqual([]);
  });

  it('takes effect in a project whose role allows it, and is refused in any other', () => {
    const before = begun(wanted([]));
    expect(() => decide(before, wanted([], { settings: { ...settings, timeout: 9 } }), { by: 99 })).toThrow(
      'You may not change the settings',
    );
  });

  it('for a new project is stale where the project exists by now', () => {
    const file = wanted([]);
    expect(() => decide(begun(file), file, { created })).toThrow(PlanStale);
  });

  it('sets the objective and the notification settings, and replaces maintenance that is ahead', () => {
    const window = { from: NOW + 3_600_000, to: NOW + 7_200_000, offsetMinutes: 60, note: 'database', repeat: null };
    const file = wanted([], { notifications: { severity: 3 }, maintenance: [window] });
    const before = begun(file);
    expect(types(decide(before, file))).toEqual([]);
    expect(types(decide(before, wanted([], { maintenance: [{ ...window, note: 'disks' }] })))).toEqual([
      'MaintenanceCancelled',
      'MaintenanceScheduled',
    ]);
    expect(types(decide(before, wanted([])))).toEqual([]);
  });
});

describe('secrets without a value', () => {
  const signIn = { user: 'u', url: '' };
  const before = begun(
    wanted([
      group('Public', [check('a', { options: { '2': false, '6': false, g: false, l: false, w: sealed('x') } })], {
        settings: { name: 'Public', httpAuth: { ...signIn, password: sealed('p') } },
      }),
    ]),
  );
  const kept = (more: Partial<WantedSite> = {}): WantedSite =>
    wanted(
      [
        group('Public', [check('a', {}, ['options.w'])], {
          settings: { name: 'Public', httpAuth: signIn },
          keeps: ['httpAuth.password'],
        }),
      ],
      more,
    );

  it('stay as they are', () => {
    expect(types(decide(before, kept()))).toEqual([]);
  });

  it('are refused where none is saved', () => {
    expect(() => decide(initial, kept(), { created })).toThrow(
      new InvalidInput('httpAuth.password: has no value, and none is saved that could be kept'),
    );
  });

  it('do not move to another site', () => {
    expect(() => decide(before, kept({ settings: { ...settings, url: 'https://other.example/' } }))).toThrow('leads to another site');
  });
});

describe('pruning', () => {
  const many = Array.from({ length: 14 }, (_, index) => check(`c${String(index)}`));
  const before = begun(wanted([group('Public', many)]));

  it('deletes at most a fifth of groups and checks, unless all may go', () => {
    expect(types(decide(before, wanted([group('Public', many.slice(0, 11))]), { prune: 'some' }))).toEqual(
      Array.from({ length: 3 }, () => 'CheckDeleted'),
    );
    const few = wanted([group('Public', many.slice(0, 10))]);
    expect(() => decide(before, few, { prune: 'some' })).toThrow(TooManyDeletions);
    expect(decide(before, few, { prune: 'all' }).after[1].checks.size).toBe(10);
  });

  it('deletes a group after the checks that move out of it', () => {
    const two = begun(wanted([group('Old', [check('a')]), group('New')]));
    const decision = decide(two, wanted([group('New', [check('a')])]), { prune: 'some' });
    expect(types(decision)).toEqual(['CheckMoved', 'AreaDeleted']);
    expect(decision.after[1].checks.size).toBe(1);
  });
});
