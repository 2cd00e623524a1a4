import type { Decider } from '../../kernel/decider.ts';
import type { EventBody } from '../../kernel/event.ts';
import { PersistentMap } from '../../kernel/persistent-map.ts';
import { type AreaEvent, areaSettingOf } from '../areas/area.setting-table.ts';
import type { AreaSettings } from '../areas/area.settings.ts';
import { type CheckEvent, checkSettingOf } from './check.setting-table.ts';
import type { CheckSettings } from './check.settings.ts';
import { projectStream } from '../../kernel/stream-names.ts';

export type ChecklistEvent = AreaEvent | CheckEvent;

export interface ListedCheck {
  readonly areaId: string;
  readonly settings: CheckSettings;
}

/** The areas and checks of a project, which share its stream. */
export interface Checklist {
  readonly open: boolean;
  readonly areas: ReadonlyMap<string, AreaSettings>;
  /** Sign-in forms that were found otherwise than they were saved, by group. */
  readonly foundForms: ReadonlyMap<string, string>;
  /** The first checksums of sign-in forms that were saved without one, by group. */
  readonly firstForms: ReadonlyMap<string, string>;
  /** Thousands, and thousands of events that change one of them. */
  readonly checks: PersistentMap<ListedCheck>;
}

const initial: Checklist = { open: false, areas: new Map(), foundForms: new Map(), firstForms: new Map(), checks: PersistentMap.empty() };

/** The stream holds the project's other events too; of those only its beginning and end matter here. */
function evolve(list: Checklist, event: ChecklistEvent | EventBody<'ProjectCreated' | 'ProjectDeleted'>): Checklist {
  switch (event.type) {
    case 'ProjectCreated':
      return { ...list, open: true };
    case 'ProjectDeleted':
      return { ...initial };
    case 'AreaCreated':
      return { ...list, areas: new Map(list.areas).set(event.data.areaId, event.data.settings) };
    case 'AreaFormFirstFound':
      return { ...list, firstForms: new Map(list.firstForms).set(event.data.areaId, event.data.checksum) };
    case 'AreaFormFoundChanged':
      return { ...list, foundForms: new Map(list.foundForms).set(event.data.areaId, event.data.checksum) };
    case 'AreaDeleted':
      return withoutArea(list, event.data.areaId);
    case 'CheckCreated':
      return withCheck(list, event.data.checkId, { areaId: event.data.areaId, settings: event.data.settings });
    case 'CheckMoved': {
      const check = list.checks.get(event.data.checkId);
      return check === undefined ? list : withCheck(list, event.data.checkId, { ...check, areaId: event.data.to });
    }
    case 'CheckDeleted':
      return { ...list, checks: list.checks.without(event.data.checkId) };
    default:
      return evolveSetting(list, event);
  }
}

function evolveSetting(list: Checklist, event: ChecklistEvent): Checklist {
  const areaSetting = areaSettingOf(event.type);
  if (areaSetting !== null && 'areaId' in event.data && 'to' in event.data) {
    const settings = list.areas.get(event.data.areaId);
    if (settings === undefined) return list;
    const areas = new Map(list.areas).set(event.data.areaId, { ...settings, [areaSetting]: event.data.to });
    const firstForms = areaSetting === 'form' ? without(list.firstForms, event.data.areaId) : list.firstForms;
    return { ...list, areas, foundForms: without(list.foundForms, event.data.areaId), firstForms };
  }
  const checkSetting = checkSettingOf(event.type);
  if (checkSetting !== null && 'checkId' in event.data && 'to' in event.data) {
    const check = list.checks.get(event.data.checkId);
    if (check === undefined) return list;
    return withCheck(list, event.data.checkId, { ...check, settings: { ...check.settings, [checkSetting]: event.data.to } });
  }
  return list;
}

const withCheck = (list: Checklist, checkId: string, check: ListedCheck): Checklist => ({
  ...list,
  checks: list.checks.with(checkId, check),
});

const withoutArea = (list: Checklist, areaId: string): Checklist => ({
  ...list,
  areas: without(list.areas, areaId),
  foundForms: without(list.foundForms, areaId),
  firstForms: without(list.firstForms, areaId),
});

function without<Value>(map: ReadonlyMap<string, Value>, key: string): ReadonlyMap<string, Value> {
  const copy = new Map(map);
  copy.delete(key);
  return copy;
}

export const checklist: Decider<Checklist, ChecklistEvent> = { initial, evolve };

export const checklistTarget = (projectId: string) => ({
  stream: projectStream(projectId),
  scope: projectStream(projectId),
  decider: checklist,
});
