import { settingsTag } from '../../platform/commands/settings-tag.ts';
import { existing, type Thing, thingRow } from '../../platform/http/conditions/thing.ts';
import type { Checklist } from '../checks/checklist.decider.ts';
import type { AreaSettings } from './area.settings.ts';
import { areaView } from './area.view.ts';

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
