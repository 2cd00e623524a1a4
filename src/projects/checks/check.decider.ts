import { DomainError, InvalidInput } from '../../kernel/errors.ts';
import { areaChanges } from '../areas/area.setting-table.ts';
import type { AreaForm, AreaSettings, FormFinding, WantedArea } from '../areas/area.settings.ts';
import { isSameSite } from '../../kernel/url.ts';
import { anchored, settled } from '../areas/wanted.ts';
import type { Checklist, ChecklistEvent, ListedCheck } from './checklist.decider.ts';
import { giverOf } from './extraction.ts';
import { checkChanges } from './check.setting-table.ts';
import type { CheckSettings, WantedCheck } from './check.settings.ts';

export class CheckNotFound extends DomainError {
  readonly code = 'CHECK_NOT_FOUND';

  constructor() {
    super('The test was not found.');
  }
}

export class AreaNotFound extends DomainError {
  readonly code = 'AREA_NOT_FOUND';

  constructor() {
    super('The group was not found.');
  }
}

/** The events of one project stay bounded, and so does every answer that lists them. */
export class TooManyChecks extends DomainError {
  readonly code = 'TOO_MANY_CHECKS';
}

const MOST_CHECKS = 2_000;
const MOST_AREAS = 200;

export const roomForChecks = (list: Checklist): number => Math.max(0, MOST_CHECKS - list.checks.size);

/** A repeated creation finds its own object and decides nothing. */
export function createArea(list: Checklist, areaId: string, settings: AreaSettings): readonly ChecklistEvent[] {
  opened(list);
  if (list.areas.has(areaId)) return [];
  if (list.areas.size >= MOST_AREAS) throw new TooManyChecks(`A project holds at most ${String(MOST_AREAS)} groups.`);
  return [{ type: 'AreaCreated', data: { areaId, settings } }];
}

export function changeArea(list: Checklist, areaId: string, wanted: WantedArea, projectUrl: string): readonly ChecklistEvent[] {
  const area = areaOf(list, areaId);
  const settings = settled(area, wanted, projectUrl);
  return areaChanges(areaId, area, { ...settings, ...formAsFound(area, settings.form, list.foundForms.get(areaId)) });
}

/** Saving a group adopts the sign-in form as last found; otherwise the next run would report the same change again (docs/spec/decisions.md#T12). */
function formAsFound(area: AreaSettings, wanted: AreaSettings['form'] | undefined, found: string | undefined): Partial<AreaSettings> {
  const form = wanted === undefined ? area.form : wanted;
  return found === undefined || form === null || form.checksum !== area.form?.checksum ? {} : { form: { ...form, checksum: found } };
}

/** Before the project moves to another site, secrets without an address are bound to the site that it leaves. */
export function keepSignIns(list: Checklist, left: string, entered: string): readonly ChecklistEvent[] {
  if (isSameSite(left, entered)) return [];
  return [...list.areas].flatMap(([areaId, area]) => areaChanges(areaId, area, anchored(area, left)));
}

/** The first checksum of a form that was saved without one, and each change, are recorded once; ignored if another form was saved since the sign-in. */
export function noteFoundForm(list: Checklist, areaId: string, { saved, found }: FormFinding): readonly ChecklistEvent[] {
  const form = list.areas.get(areaId)?.form;
  if (form?.enabled !== true || !isSameForm(form, saved)) return [];
  const expected = form.checksum === '' ? list.firstForms.get(areaId) : form.checksum;
  if (expected === undefined) return [{ type: 'AreaFormFirstFound', data: { areaId, checksum: found } }];
  if (expected === found || list.foundForms.get(areaId) === found) return [];
  return [{ type: 'AreaFormFoundChanged', data: { areaId, checksum: found } }];
}

const isSameForm = (form: AreaForm, saved: FormFinding['saved']): boolean =>
  form.identifier === saved.identifier && form.baseUrl === saved.baseUrl && form.checksum === saved.checksum;

/** Its checks go with it, each with its event. */
export function deleteArea(list: Checklist, areaId: string): readonly ChecklistEvent[] {
  const { name } = areaOf(list, areaId);
  const checks = [...list.checks].filter(([, check]) => check.areaId === areaId).flatMap(([checkId]) => deleteCheck(list, checkId));
  return [...checks, { type: 'AreaDeleted', data: { areaId, name } }];
}

export interface NewCheck {
  readonly checkId: string;
  /** Null for the project's first group; in a project without groups, `fallback` is created. */
  readonly areaId: string | null;
  readonly settings: CheckSettings;
  readonly fallback: { readonly areaId: string; readonly settings: AreaSettings };
}

export function createCheck(list: Checklist, { checkId, areaId, settings, fallback }: NewCheck): readonly ChecklistEvent[] {
  opened(list);
  if (list.checks.has(checkId)) return [];
  if (roomForChecks(list) === 0) throw new TooManyChecks(`A project holds at most ${String(MOST_CHECKS)} tests.`);
  if (areaId !== null) areaOf(list, areaId);
  const first = areaId ?? list.areas.keys().next().value;
  const made = first === undefined ? createArea(list, fallback.areaId, fallback.settings) : [];
  // A new project of many checks is decided in one go, and to list all of them for each would take quadratic time.
  if (settings.options.uses !== undefined) refuseUnknownValues([...list.checks.values()], first ?? fallback.areaId, settings);
  return [...made, { type: 'CheckCreated', data: { checkId, areaId: first ?? fallback.areaId, settings } }];
}

export function changeCheck(list: Checklist, checkId: string, wanted: WantedCheck): readonly ChecklistEvent[] {
  const { areaId, settings } = checkOf(list, checkId);
  const { areaId: to, options, template, ...rest } = wanted;
  if (to !== undefined) areaOf(list, to);
  const changes = {
    ...rest,
    ...(options === undefined ? {} : { options: { ...settings.options, ...options } }),
    ...(template === undefined ? {} : { template: { ...settings.template, ...template } }),
  };
  const isOtherStep = to !== undefined && to !== areaId;
  if (options?.uses !== undefined || isOtherStep)
    refuseUnknownValues(earlierThan(list, checkId), to ?? areaId, { ...settings, ...changes });
  const moved: readonly ChecklistEvent[] = isOtherStep ? [{ type: 'CheckMoved', data: { checkId, from: areaId, to } }] : [];
  return [...checkChanges(checkId, settings, changes), ...moved];
}

/** The checks in the order of their creation, which moving does not change. */
function earlierThan(list: Checklist, checkId: string): readonly ListedCheck[] {
  const checks = [...list.checks];
  return checks
    .slice(
      0,
      checks.findIndex(([id]) => id === checkId),
    )
    .map(([, check]) => check);
}

/** Only earlier checks give values, so there are no cycles. A giver that is removed later leaves the check skipped, not failing. */
function refuseUnknownValues(earlier: readonly ListedCheck[], areaId: string, { options }: CheckSettings): void {
  const unknown = options.uses?.find((name) => giverOf(earlier, areaId, name) === undefined);
  if (unknown !== undefined) throw new InvalidInput(`options.uses: no earlier test of the group extracts "${unknown}"`);
}

/** A check without a name takes the title of the page that it saw (docs/spec/decisions.md#T1); a name given while the page was fetched wins. */
export function nameCheck(list: Checklist, checkId: string, title: string): readonly ChecklistEvent[] {
  return list.checks.get(checkId)?.settings.name === '' ? [{ type: 'CheckRenamed', data: { checkId, from: '', to: title } }] : [];
}

export function deleteCheck(list: Checklist, checkId: string): readonly ChecklistEvent[] {
  const { areaId, settings } = checkOf(list, checkId);
  return [{ type: 'CheckDeleted', data: { checkId, areaId, name: settings.name } }];
}

function opened(list: Checklist): void {
  if (!list.open) throw new AreaNotFound();
}

function areaOf(list: Checklist, areaId: string): AreaSettings {
  const area = list.areas.get(areaId);
  if (area === undefined) throw new AreaNotFound();
  return area;
}

function checkOf(list: Checklist, checkId: string): ListedCheck {
  const check = list.checks.get(checkId);
  if (check === undefined) throw new CheckNotFound();
  return check;
}

/** Deletes the areas and checks of a project, with an event each. */
export const clear = (list: Checklist): readonly ChecklistEvent[] => [
  ...[...list.checks.keys()].flatMap((checkId) => deleteCheck(list, checkId)),
  ...[...list.areas].map(([areaId, { name }]): ChecklistEvent => ({ type: 'AreaDeleted', data: { areaId, name } })),
];
