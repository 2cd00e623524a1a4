import { settingsTag } from '../../platform/commands/settings-tag.ts';
import { existing, type Thing, thingRow } from '../../platform/http/conditions/thing.ts';
import type { CheckSettings } from './check.settings.ts';
import { checkView } from './check.view.ts';
import type { Checklist } from './checklist.decider.ts';

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
