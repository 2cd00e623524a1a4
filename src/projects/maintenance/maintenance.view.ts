import type { Repeat } from './maintenance.events.ts';
import { integerColumn } from '../../platform/read-models/authoring/columns.ts';
import { defineView, scopeId } from '../../platform/read-models/authoring/define-view.ts';
import { settingsTag } from '../../platform/commands/settings-tag.ts';
import { type Thing, thingRow } from '../../platform/http/conditions/thing.ts';
import type { MaintenanceWindows } from './maintenance.decider.ts';

export interface MaintenanceWindowRow {
  readonly windowId: string;
  readonly from: string;
  readonly to: string;
  readonly note: string;
  readonly repeat: Repeat | null;
  readonly offsetMinutes: number;
  readonly endedAt: string | null;
  /** When it was recorded: a window that had begun by then was entered afterwards. */
  readonly announcedAt: string;
  /** Id of the event. */
  readonly event: string;
}

export interface MaintenanceRow {
  readonly windows: readonly MaintenanceWindowRow[];
}

const endOf = ({ to, repeat, endedAt }: MaintenanceWindowRow): number =>
  endedAt === null && repeat !== null ? Number.MAX_SAFE_INTEGER : Date.parse(endedAt ?? to);

export const maintenanceView = defineView<MaintenanceRow>()({
  name: 'maintenance',
  version: 3,
  scope: 'project',
  key: scopeId,
  on: {
    MaintenanceScheduled: (row, { id, recordedAt, data: { windowId, from, to, note, repeat, offsetMinutes } }) => ({
      windows: [
        ...(row?.windows ?? []),
        { windowId, from, to, note, repeat, offsetMinutes, endedAt: null, announcedAt: recordedAt, event: id },
      ],
    }),
    MaintenanceCancelled: (row, { data: { windowId, at, keepsPast } }) => ({
      windows: (row?.windows ?? []).flatMap((window) => {
        if (window.windowId !== windowId) return [window];
        return keepsPast ? [{ ...window, endedAt: at }] : [];
      }),
    }),
    ProjectDeleted: () => null,
  },
  /** The end of the last window; later than any instant where one repeats. */
  columns: { until: integerColumn(({ windows }: MaintenanceRow) => windows.reduce((end, window) => Math.max(end, endOf(window)), 0)) },
});

interface TaggedWindow {
  readonly windowId: string;
  readonly from: string;
  readonly to: string;
  readonly note: string;
  readonly repeat: string | null;
  readonly offsetMinutes: number;
  readonly endedAt: string | null;
}

export const maintenanceTag = (projectId: string, windows: readonly TaggedWindow[]): string =>
  settingsTag(
    'maintenance',
    projectId,
    windows.map(({ windowId, from, to, note, repeat, offsetMinutes, endedAt }) => [
      ...[windowId, from, to, note, repeat, offsetMinutes, endedAt],
    ]),
  );

export const maintenanceTagIn = (projectId: string, windows: MaintenanceWindows): string =>
  maintenanceTag(projectId, [...windows.values()]);

export const maintenanceThing: Thing = {
  name: 'maintenance',
  row: ({ projectId }) => thingRow(maintenanceView, projectId, (row) => maintenanceTag(projectId, row?.windows ?? [])),
};
