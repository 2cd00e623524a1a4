import { settingsTag } from '../../platform/commands/settings-tag.ts';
import { type Thing, thingRow } from '../../platform/http/conditions/thing.ts';
import type { MaintenanceWindows } from './maintenance.decider.ts';
import { maintenanceView } from './maintenance.view.ts';

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
