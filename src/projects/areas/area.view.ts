import type { Events } from '../../events.ts';
import type { AreaSettings } from './area.settings.ts';
import { integerColumn, searchColumn, textColumn } from '../../platform/read-models/authoring/columns.ts';
import { defineView, scopeId } from '../../platform/read-models/authoring/define-view.ts';
import { settingsTag } from '../../platform/commands/settings-tag.ts';
import { existing, type Thing, thingRow } from '../../platform/http/conditions/thing.ts';
import type { Checklist } from '../checks/checklist.decider.ts';

export interface AreaRow {
  readonly id: string;
  readonly projectId: string;
  readonly settings: AreaSettings;
  /** Checksum of a sign-in form that differs from the saved one; null once the group is saved again. */
  readonly foundChecksum: string | null;
  /** Checksum of a sign-in form that was saved without one, as first found; null once the form is saved again. */
  readonly firstChecksum: string | null;
  /** The `n` of its creation: groups are listed in the order of their creation. */
  readonly order: number;
}

type Changed = Events[
  | 'AreaRenamed'
  | 'AreaVisibilityChanged'
  | 'AreaRulesChanged'
  | 'AreaFormChanged'
  | 'AreaSignInChanged'
  | 'AreaPeriodChanged'
  | 'AreaHeadersChanged'
  | 'AreaKeyChanged'];

const set =
  (setting: keyof AreaSettings) =>
  (row: AreaRow | null, { data }: { readonly data: Changed }): AreaRow | null =>
    row && {
      ...row,
      foundChecksum: null,
      firstChecksum: setting === 'form' ? null : row.firstChecksum,
      settings: { ...row.settings, [setting]: data.to },
    };

export const areaView = defineView<AreaRow>()({
  name: 'area',
  version: 4,
  scope: 'project',
  key: ({ data }) => data.areaId,
  on: {
    AreaCreated: (_, event) => ({
      id: event.data.areaId,
      projectId: scopeId(event),
      settings: event.data.settings,
      foundChecksum: null,
      firstChecksum: null,
      order: event.n,
    }),
    AreaRenamed: set('name'),
    AreaVisibilityChanged: set('public'),
    AreaRulesChanged: set('rules'),
    AreaFormChanged: set('form'),
    AreaSignInChanged: set('httpAuth'),
    AreaPeriodChanged: set('period'),
    AreaHeadersChanged: set('headers'),
    AreaKeyChanged: set('key'),
    AreaFormFirstFound: (row, { data }) => row && { ...row, firstChecksum: data.checksum },
    AreaFormFoundChanged: (row, { data }) => row && { ...row, foundChecksum: data.checksum },
    AreaDeleted: () => null,
  },
  columns: {
    order: integerColumn(({ order }: AreaRow) => order, { indexed: false }),
    name: textColumn(({ settings }: AreaRow) => settings.name.toLowerCase(), { indexed: false }),
    words: searchColumn(({ settings }: AreaRow) => settings.name),
  },
  indexes: [
    ['scope', 'order'],
    ['scope', 'name'],
  ],
});

export const areaTag = (areaId: string, settings: AreaSettings): string => settingsTag('area', areaId, settings);

export function areaTagIn(areaId: string, { areas }: Checklist): string | null {
  const settings = areas.get(areaId);
  return settings === undefined ? null : areaTag(areaId, settings);
}

export const areaThing: Thing = {
  name: 'area',
  row: ({ areaId }) =>
    thingRow(
      areaView,
      areaId,
      existing(({ settings }) => areaTag(areaId, settings)),
    ),
};
