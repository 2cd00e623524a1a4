import { publicArea } from '../projects/areas/area.settings.ts';
import type { Checklist } from '../projects/checks/checklist.decider.ts';
import type { MaintenanceWindow } from '../projects/maintenance/maintenance.decider.ts';
import { noObjective } from '../projects/objectives/objective.settings.ts';
import { defaultNotifications } from '../alerts/preferences/preference.settings.ts';
import { initialSettings, type ProjectSettings } from '../projects/project.settings.ts';
import type { SiteState } from './site.ts';
import { formatInstant } from '../kernel/instants.ts';
import { defaultSettings } from '../projects/checks/check-settings.ts';
import { areaFields, checkFields } from '../history/compare/compared-fields.ts';
import { type ComparedFields, type Difference, fieldDifferences } from '../history/compare/diff.ts';
import { fieldsOfObjective } from '../projects/objectives/objective.api.ts';
import { fieldsOf } from '../projects/writable-settings.dto.ts';

export const changedKinds = ['project', 'group', 'check', 'notifications', 'objective', 'maintenance', 'member', 'statusPage'] as const;
export type ChangedKind = (typeof changedKinds)[number];

/** What a plan changes of one object, in the words of the API. */
export interface SiteChange {
  readonly action: 'create' | 'change' | 'delete';
  readonly kind: ChangedKind;
  /** Null when the object does not exist yet, or has none. */
  readonly id: string | null;
  readonly name: string;
  /** The fields that differ, in a new object from the default. */
  readonly fields: readonly Difference[];
}

interface Listed {
  readonly kind: ChangedKind;
  readonly name: string;
  /** Parts of the state: the same values in two states have the same fields, which are not read then. */
  readonly from: readonly unknown[];
  readonly fields: () => ComparedFields;
  /** What an object of its kind has unless stated. */
  readonly initial: () => ComparedFields;
}

/** The differences that the events of a decision make, object by object. `by`: whose notification settings they are. */
export function siteChanges(before: SiteState, after: SiteState, by: number): readonly SiteChange[] {
  const [left, right] = [objectsOf(before, by), objectsOf(after, by)];
  const changed = [...right].flatMap(([id, { kind, name, from, fields, initial }]): readonly SiteChange[] => {
    const known = left.get(id);
    if (known?.from.every((part, index) => part === from[index])) return [];
    const found = fieldDifferences((known?.fields ?? initial)(), fields());
    const isObject = kind !== 'notifications' && kind !== 'objective';
    if (known === undefined && isObject) return [{ action: 'create', kind, id: null, name, fields: found }];
    return found.length === 0 ? [] : [{ action: 'change', kind, id: isObject ? id : null, name: known?.name ?? name, fields: found }];
  });
  const deleted = [...left].filter(([id]) => !right.has(id));
  return [...changed, ...deleted.map(([id, { kind, name }]): SiteChange => ({ action: 'delete', kind, id, name, fields: [] }))];
}

function objectsOf([project, list, windows, preferences, objective]: SiteState, by: number): ReadonlyMap<string, Listed> {
  if (project.kind !== 'open') return new Map();
  const { settings } = project;
  const notifications = preferences.get(by);
  return new Map<string, Listed>([
    [
      'project',
      {
        kind: 'project',
        name: settings.title,
        from: [settings],
        fields: () => ofProject(settings),
        initial: () => ofProject(initialOf(settings)),
      },
    ],
    ...groupsOf(list),
    ...checksOf(list),
    ...ofSettings('notifications', notifications === undefined ? undefined : (notifications ?? defaultNotifications), defaultNotifications),
    ...ofSettings('objective', fieldsOfObjective(objective.current ?? noObjective), fieldsOfObjective(noObjective)),
    ...[...windows].filter(([, { endedAt }]) => endedAt === null).map(([id, window]) => [id, ofWindow(window)] as const),
  ]);
}

const ofProject = ({ url, key, ...settings }: ProjectSettings): ComparedFields => {
  const { name: _, ...fields } = fieldsOf({ url, ...settings });
  return { url, ...fields, key: key ?? null };
};

/** All but its address, which no project has by default. */
const initialOf = ({ url, period, location }: ProjectSettings): ProjectSettings => ({
  ...initialSettings({ url, host: new URL(url).host, period }, { defaultPeriod: period }, location),
  url: '',
});

const initialGroup: ComparedFields = { ...areaFields(publicArea), key: null };
const initialCheck: ComparedFields = { ...checkFields(defaultSettings), key: null, group: '' };
const initialWindow: ComparedFields = { from: null, to: null, note: '', repeat: null };

const groupsOf = ({ areas }: Checklist): readonly (readonly [string, Listed])[] =>
  [...areas].map(([id, settings]) => [
    id,
    {
      kind: 'group',
      name: settings.name,
      from: [settings],
      fields: () => ({ ...areaFields(settings), key: settings.key ?? null }),
      initial: () => initialGroup,
    },
  ]);

/** Checks name their group, because an id is not known before the group is created. */
const checksOf = ({ areas, checks }: Checklist): readonly (readonly [string, Listed])[] =>
  [...checks].map(([id, { areaId, settings }]) => {
    const group = areas.get(areaId)?.name ?? '';
    return [
      id,
      {
        kind: 'check',
        name: settings.name || settings.url,
        from: [settings, group],
        fields: () => ({ ...checkFields(settings), key: settings.key ?? null, group }),
        initial: () => initialCheck,
      },
    ];
  });

const ofSettings = (
  kind: 'notifications' | 'objective',
  fields: object | undefined,
  initial: object,
): readonly (readonly [string, Listed])[] =>
  fields === undefined ? [] : [[kind, { kind, name: '', from: [fields], fields: () => ({ ...fields }), initial: () => ({ ...initial }) }]];

function ofWindow(window: MaintenanceWindow): Listed {
  const { from, to, note, repeat, offsetMinutes } = window;
  const [begin, end] = [from, to].map((instant) => formatInstant(Date.parse(instant), offsetMinutes));
  return {
    kind: 'maintenance',
    name: `${begin ?? ''} to ${end ?? ''}`,
    from: [window],
    fields: () => ({ from: begin, to: end, note, repeat }),
    initial: () => initialWindow,
  };
}
