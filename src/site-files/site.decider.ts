import { type AreaSettings, emptyForm, publicArea, type WantedArea } from '../projects/areas/area.settings.ts';
import { areaChanges } from '../projects/areas/area.setting-table.ts';
import { settled } from '../projects/areas/wanted.ts';
import {
  changeArea,
  changeCheck,
  createArea,
  createCheck,
  deleteArea,
  deleteCheck,
  keepSignIns,
} from '../projects/checks/check.decider.ts';
import { PRESET_IDS, presetChecks } from '../projects/checks/preset.ts';
import type { CheckOptions } from '../projects/checks/check.settings.ts';
import { cancel, isOver, type MaintenanceWindow, type NewWindow, schedule } from '../projects/maintenance/maintenance.decider.ts';
import { removeObjective, setObjective } from '../projects/objectives/objective.decider.ts';
import { changeNotifications } from '../alerts/preferences/preference.decider.ts';
import { changeSettings, changesOf, create, type NewProject, requireOpenProject } from '../projects/project.decider.ts';
import type { OpenProject } from '../projects/project.state.ts';
import { DomainError, InvalidInput } from '../kernel/errors.ts';
import { same } from '../kernel/change.ts';
import { isSameSite, isUrl } from '../kernel/url.ts';
import { type Identified, matched } from './matched.ts';
import { type SiteState, site, type SiteEvent } from './site.ts';
import type { WantedSite, WantedSiteCheck, WantedSiteGroup } from './wanted-site.ts';

/** How many of the groups and checks that no file has are deleted: none, at most a fifth of all, or any number. */
export type Prune = 'none' | 'some' | 'all';

export class TooManyDeletions extends DomainError {
  readonly code = 'TOO_MANY_DELETIONS';
}

/** Optimistic concurrency: the project or status page is not the one any more that was planned for. */
export class PlanStale extends DomainError {
  readonly code = 'PLAN_STALE';

  constructor(what: string) {
    super(`The ${what} has changed since it was planned. Plan again.`);
  }
}

export interface SiteOptions {
  /** The user, or the number of the service account. */
  readonly by: number;
  readonly now: number;
  readonly prune: Prune;
  /** Gives the objects that the decision makes their ids, by their order. */
  readonly idOf: (ordinal: number) => string;
  /** Present when there is no project yet. */
  readonly created?: Omit<NewProject, 'settings'>;
}

export interface SiteDecision {
  readonly events: readonly SiteEvent[];
  /** As the events leave it. */
  readonly after: SiteState;
  /** Groups and checks that the file does not have and that stay. */
  readonly unlisted: readonly string[];
}

/** The state as the decisions so far leave it. */
class Draft {
  readonly events: SiteEvent[] = [];
  private made = 0;

  constructor(
    public state: SiteState,
    readonly options: SiteOptions,
  ) {}

  add(events: readonly SiteEvent[]): void {
    for (const event of events) this.state = site.evolve(this.state, event);
    this.events.push(...events);
  }

  newId(): string {
    return this.options.idOf(this.made++);
  }

  get project(): OpenProject {
    return requireOpenProject(this.state[0]);
  }
}

/** Everything by which a project differs from the file, decided by the same decisions as single changes and as one append: all or nothing. */
export function decideSite(before: SiteState, wanted: WantedSite, options: SiteOptions): SiteDecision {
  const draft = new Draft(before, options);
  const { created } = options;
  if (created !== undefined) {
    if (before[0].kind !== 'none') throw new PlanStale(`project "${wanted.settings.key ?? ''}"`);
    draft.add(create(before[0], { ...created, settings: wanted.settings }));
    const ids = Array.from({ length: PRESET_IDS }, () => draft.newId());
    if (created.preset) draft.add(presetChecks(wanted.settings.url, ids));
  }
  const groups = matched(wanted.groups.map(identityOfGroup), identities(draft.state[1].areas));
  const left = draft.project.settings.url;
  if (changesOf(draft.project.settings, wanted.settings).length > 0) {
    draft.add(changeSettings(draft.state[0], wanted.settings, options.by));
    // Those of the file give their secrets again, unless they are kept.
    const givenAgain = new Set(groups.filter((_, index) => wanted.groups[index]?.keeps.length === 0));
    const anchored = keepSignIns(draft.state[1], left, wanted.settings.url);
    draft.add(anchored.filter(({ data }) => !('areaId' in data && givenAgain.has(data.areaId))));
  }
  const ids = wanted.groups.map((group, index) => decideGroup(draft, group, groups[index] ?? null));
  const listed = new Set<string>(ids);
  decideChecks(draft, wanted.groups, ids, left).forEach((id) => listed.add(id));
  const unlisted = [...draft.state[1].areas.keys(), ...draft.state[1].checks.keys()].filter((id) => !listed.has(id));
  if (options.prune !== 'none') prune(draft, before, unlisted);
  decideRest(draft, wanted);
  return { events: draft.events, after: draft.state, unlisted: options.prune === 'none' ? unlisted : [] };
}

const identities = (objects: Iterable<readonly [string, Pick<AreaSettings, 'name' | 'key'>]>): ReadonlyMap<string, Identified> =>
  new Map([...objects].map(([id, { name, key = null }]) => [id, { name, key }]));

const identityOfGroup = ({ settings: { name, key = null } }: WantedSiteGroup): Identified => ({ name, key });

function decideGroup(draft: Draft, { settings, keeps }: WantedSiteGroup, found: string | null): string {
  const list = draft.state[1];
  const area = found === null ? undefined : list.areas.get(found);
  if (found === null || area === undefined) {
    refuseToKeep(keeps);
    const id = draft.newId();
    draft.add(createArea(list, id, { ...publicArea, ...settled(publicArea, settings, '') }));
    return id;
  }
  const wanted = whole(settings, keeps, found);
  const { url: projectUrl } = draft.project.settings;
  if (areaChanges(found, area, settled(area, wanted, projectUrl)).length > 0) draft.add(changeArea(list, found, wanted, projectUrl));
  return found;
}

/** What a file leaves out is as in a new group; the key is remembered, and one that is the id of the group needs none. */
function whole({ key, form, httpAuth, ...settings }: WantedArea, keeps: readonly string[], id: string): WantedArea {
  const { headers, ...others } = publicArea;
  const { params, ...noForm } = emptyForm;
  return {
    ...others,
    ...(keeps.includes('options.w') ? {} : { headers }),
    ...settings,
    form: { ...noForm, ...(keeps.includes('form.params') ? {} : { params }), ...form },
    httpAuth: { user: '', url: '', ...(keeps.includes('httpAuth.password') ? {} : { password: null }), ...httpAuth },
    ...keyUnless(id, key),
  };
}

const keyUnless = (id: string, key: string | null | undefined): { readonly key?: string } =>
  key === null || key === undefined || key === id ? {} : { key };

function decideChecks(draft: Draft, groups: readonly WantedSiteGroup[], ids: readonly string[], left: string): readonly string[] {
  const wanted = groups.flatMap(({ checks }, index) => checks.map((check) => ({ check, areaId: ids[index] ?? '' })));
  const existing = identities([...draft.state[1].checks].map(([id, { settings }]) => [id, settings] as const));
  const found = matched(
    wanted.map(({ check: { settings } }) => ({ name: settings.name, key: settings.key ?? null })),
    existing,
  );
  return wanted.map(({ check, areaId }, index) => decideCheck(draft, check, areaId, found[index] ?? null, left));
}

function decideCheck(draft: Draft, { settings, keeps }: WantedSiteCheck, areaId: string, found: string | null, left: string): string {
  const list = draft.state[1];
  const today = found === null ? undefined : list.checks.get(found);
  if (found === null || today === undefined) {
    refuseToKeep(keeps);
    const checkId = draft.newId();
    draft.add(createCheck(list, { checkId, areaId, settings, fallback: { areaId, settings: publicArea } }));
    return checkId;
  }
  const { key, options, name, ...rest } = settings;
  if (keeps.length > 0) refuseToLeave(keeps, absolute(today.settings.url, left), absolute(settings.url, draft.project.settings.url));
  // Without a name in the file it is named by the page that it sees.
  const changed = {
    ...rest,
    ...(name === '' ? {} : { name }),
    ...keyUnless(found, key),
    options: optionsOf(today.settings.options, options, keeps),
  };
  draft.add(changeCheck(list, found, { ...changed, ...(areaId === today.areaId ? {} : { areaId }) }));
  return found;
}

/** Options that checks have only since one was set. */
const unset = { method: 'GET', contentType: '', body: null, extract: [], uses: [] } as const satisfies Partial<CheckOptions>;

function optionsOf(today: CheckOptions, wanted: CheckOptions, keeps: readonly string[]): Partial<CheckOptions> {
  const given: Partial<CheckOptions> = { ...unset, ...wanted };
  return Object.fromEntries(
    Object.entries(given).filter(([name, value]) => {
      const isUnset = name in unset && !Object.hasOwn(today, name) && same(value, unset[name as keyof typeof unset]);
      return !isUnset && !keeps.includes(`options.${name}`);
    }),
  );
}

const absolute = (url: string, base: string): string => (isUrl(url, base) ? new URL(url, base).href : url);

function refuseToKeep([field]: readonly string[]): void {
  if (field !== undefined) throw new InvalidInput(`${field}: has no value, and none is saved that could be kept`);
}

function refuseToLeave([field = '']: readonly string[], left: string, entered: string): void {
  if (!isSameSite(left, entered)) throw new InvalidInput(`${field}: must be given again, because url leads to another site`);
}

/** One object may always be deleted, and otherwise a fifth of them. */
function prune(draft: Draft, before: SiteState, unlisted: readonly string[]): void {
  const { areas, checks } = before[1];
  const most = Math.max(1, Math.floor((areas.size + checks.size) / 5));
  if (draft.options.prune === 'some' && unlisted.length > most)
    throw new TooManyDeletions(
      `The files lack ${String(unlisted.length)} of ${String(areas.size + checks.size)} groups and checks; at most ${String(most)} may be deleted unless prune is "all" (--prune=all).`,
    );
  const areasOfList = unlisted.filter((id) => draft.state[1].areas.has(id));
  for (const id of unlisted) if (draft.state[1].checks.has(id)) draft.add(deleteCheck(draft.state[1], id));
  for (const id of areasOfList) draft.add(deleteArea(draft.state[1], id));
}

function decideRest(draft: Draft, { notifications, objective, maintenance }: WantedSite): void {
  if (notifications !== undefined) draft.add(changeNotifications(draft.state[3], draft.options.by, notifications));
  if (objective !== undefined) draft.add(objective === null ? removeObjective(draft.state[4]) : setObjective(draft.state[4], objective));
  if (maintenance !== undefined) decideMaintenance(draft, maintenance);
}

/** Windows have no name: they are compared by value. One that is over stays in the record. */
function decideMaintenance(draft: Draft, wanted: readonly Omit<NewWindow, 'windowId'>[]): void {
  const { now } = draft.options;
  const left = new Map([...draft.state[2]].filter(([, { endedAt }]) => endedAt === null).map(([id, window]) => [id, spelled(window)]));
  const missing = wanted.filter((window) => {
    const [id] = [...left].find(([, text]) => text === spelled(window)) ?? [];
    if (id !== undefined) left.delete(id);
    return id === undefined;
  });
  for (const id of left.keys()) {
    const window = draft.state[2].get(id);
    if (window !== undefined && !isOver(window, now)) draft.add(cancel(draft.state[2], id, now));
  }
  for (const window of missing) draft.add(schedule(draft.state[2], { ...window, windowId: draft.newId() }, now));
}

const spelled = ({
  from,
  to,
  note,
  repeat,
  offsetMinutes,
}: Omit<MaintenanceWindow, 'windowId' | 'endedAt' | 'from' | 'to'> & {
  readonly from: string | number;
  readonly to: string | number;
}): string => JSON.stringify([new Date(from).getTime(), new Date(to).getTime(), note, repeat, offsetMinutes]);
