import type { Events } from '../../../domain/events.ts';
import type { CheckSettings } from '../../../domain/check/settings.ts';
import { defineView, scopeId } from '../../authoring/define-view.ts';

export interface CheckRow {
  readonly id: string;
  readonly projectId: string;
  readonly areaId: string;
  readonly settings: CheckSettings;
  /** The `n` of its creation: checks are listed in the order of their creation. */
  readonly order: number;
}

type Changed = Events[
  | 'CheckRenamed'
  | 'CheckUrlChanged'
  | 'CheckSwitched'
  | 'CheckNoticeChanged'
  | 'CheckTypeChanged'
  | 'CheckRulesChanged'
  | 'CheckOptionsChanged'
  | 'CheckTemplateChanged'];

const set =
  (setting: keyof CheckSettings) =>
  (row: CheckRow | null, { data }: { readonly data: Changed }): CheckRow | null =>
    row && { ...row, settings: { ...row.settings, [setting]: data.to } };

export const checkView = defineView<CheckRow>()({
  name: 'check',
  version: 1,
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
    CheckMoved: (row, { data }) => row && { ...row, areaId: data.to },
    CheckDeleted: () => null,
  },
});
