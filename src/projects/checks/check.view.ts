import type { Events } from '../../events.ts';
import type { CheckSettings } from './check.settings.ts';
import { integerColumn, searchColumn, textColumn } from '../../platform/read-models/authoring/columns.ts';
import { defineView, scopeId } from '../../platform/read-models/authoring/define-view.ts';
import { settingsTag } from '../../platform/commands/settings-tag.ts';
import { existing, type Thing, thingRow } from '../../platform/http/conditions/thing.ts';
import type { Checklist } from './checklist.decider.ts';

export interface CheckRow {
  readonly id: string;
  readonly projectId: string;
  readonly areaId: string;
  readonly settings: CheckSettings;
  /** The `n` of its creation: checks are listed in the order of their creation. */
  readonly order: number;
  /** Since when the check is not run for want of a value, and why. */
  readonly skipped?: { readonly since: string; readonly reason: string } | null;
}

type Changed = Events[
  | 'CheckRenamed'
  | 'CheckUrlChanged'
  | 'CheckSwitched'
  | 'CheckNoticeChanged'
  | 'CheckTypeChanged'
  | 'CheckRulesChanged'
  | 'CheckOptionsChanged'
  | 'CheckTemplateChanged'
  | 'CheckKeyChanged'];

const set =
  (setting: keyof CheckSettings) =>
  (row: CheckRow | null, { data }: { readonly data: Changed }): CheckRow | null =>
    row && { ...row, settings: { ...row.settings, [setting]: data.to } };

export const checkView = defineView<CheckRow>()({
  name: 'check',
  version: 4,
  scope: 'project',
  key: ({ data }) => data.checkId,
  on: {
    CheckCreated: (_, event) => ({
      id: event.data.checkId,
      projectId: scopeId(event),
      areaId: event.data.areaId,
      settings: event.data.settings,
      order: event.n,
    }),
    CheckRenamed: set('name'),
    CheckUrlChanged: set('url'),
    CheckSwitched: set('enabled'),
    CheckNoticeChanged: set('notice'),
    CheckTypeChanged: set('type'),
    CheckRulesChanged: set('rules'),
    CheckOptionsChanged: set('options'),
    CheckTemplateChanged: set('template'),
    CheckKeyChanged: set('key'),
    CheckMoved: (row, { data }) => row && { ...row, areaId: data.to },
    CheckSkipped: (row, { data }) => row && { ...row, skipped: { since: row.skipped?.since ?? data.since, reason: data.missing.reason } },
    CheckResumed: (row) => row && { ...row, skipped: null },
    CheckDeleted: () => null,
  },
  columns: {
    order: integerColumn(({ order }: CheckRow) => order, { indexed: false }),
    name: textColumn(({ settings }: CheckRow) => settings.name.toLowerCase(), { indexed: false }),
    words: searchColumn(({ settings }: CheckRow) => `${settings.name}\u0001${settings.url}`),
    /** The group of an enabled check. */
    runs: textColumn(({ areaId, settings }: CheckRow) => (settings.enabled ? areaId : null), { indexed: false }),
    /** The project of an enabled homepage. */
    homepage: textColumn(({ projectId, settings }: CheckRow) => (settings.enabled && settings.type === 'homepage' ? projectId : null), {
      indexed: false,
    }),
    enabled: textColumn(({ projectId, settings }: CheckRow) => (settings.enabled ? projectId : null), { indexed: false }),
  },
  indexes: [
    ['scope', 'order'],
    ['scope', 'name'],
    ['runs', 'order'],
    ['enabled', 'order'],
    ['homepage', 'order'],
  ],
});

export const checkTag = (checkId: string, { areaId, settings }: { readonly areaId: string; readonly settings: CheckSettings }): string =>
  settingsTag('test', checkId, { areaId, settings });

export function checkTagIn(checkId: string, { checks }: Checklist): string | null {
  const check = checks.get(checkId);
  return check === undefined ? null : checkTag(checkId, check);
}

export const checkThing: Thing = {
  name: 'test',
  row: ({ checkId }) =>
    thingRow(
      checkView,
      checkId,
      existing((row) => checkTag(checkId, row)),
    ),
};
