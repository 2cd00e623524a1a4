import { changedSettings, formerUnlessLarge, settingOfEvent } from '../../kernel/change.ts';
import type { EventOf } from '../../kernel/event.ts';
import type { AreaEvents } from './area.events.ts';
import type { AreaSettings } from './area.settings.ts';

export type AreaEvent = EventOf<AreaEvents>;

/** Each setting of a group and the event that says it changed. */
export const areaSettingTable = {
  name: 'AreaRenamed',
  public: 'AreaVisibilityChanged',
  rules: 'AreaRulesChanged',
  form: 'AreaFormChanged',
  httpAuth: 'AreaSignInChanged',
  period: 'AreaPeriodChanged',
  headers: 'AreaHeadersChanged',
  key: 'AreaKeyChanged',
} as const satisfies Record<keyof AreaSettings, keyof AreaEvents>;

export const areaSettingOf = settingOfEvent(areaSettingTable);

const LARGE: readonly string[] = ['AreaRulesChanged', 'AreaFormChanged', 'AreaHeadersChanged'] satisfies (keyof AreaEvents)[];
const isLarge = (type: string): boolean => LARGE.includes(type);

export const areaChanges = (areaId: string, settings: AreaSettings, wanted: Partial<AreaSettings>): readonly AreaEvent[] =>
  // The table pairs each setting with the event of its type, which the compiler cannot follow through a mapped array.
  changedSettings(areaSettingTable, settings, wanted).map(
    ({ type, from, to }) => ({ type, data: { areaId, ...(isLarge(type) ? formerUnlessLarge(from) : { from }), to } }) as AreaEvent,
  );
