import { changedSettings } from '../../kernel/change.ts';
import type { EventBody } from '../../kernel/event.ts';
import type { AreaEvents } from './area.events.ts';
import type { AreaSettings } from './settings.ts';

export type AreaEvent = { [Type in keyof AreaEvents]: EventBody<Type, AreaEvents[Type]> }[keyof AreaEvents];

/** Each setting of a group and the event that says it changed. */
export const areaSettingTable = {
  name: 'AreaRenamed',
  public: 'AreaVisibilityChanged',
  rules: 'AreaRulesChanged',
  form: 'AreaFormChanged',
  httpAuth: 'AreaSignInChanged',
  period: 'AreaPeriodChanged',
  headers: 'AreaHeadersChanged',
} as const satisfies Record<keyof AreaSettings, keyof AreaEvents>;

const byEvent: ReadonlyMap<string, keyof AreaSettings> = new Map(
  Object.entries(areaSettingTable).map(([setting, type]) => [type, setting as keyof AreaSettings]),
);

export const areaSettingOf = (type: string): keyof AreaSettings | null => byEvent.get(type) ?? null;

export const areaChanges = (areaId: string, settings: AreaSettings, wanted: Partial<AreaSettings>): readonly AreaEvent[] =>
  // The table pairs each setting with the event of its type, which the compiler cannot follow through a mapped array.
  changedSettings(areaSettingTable, settings, wanted).map(({ type, from, to }) => ({ type, data: { areaId, from, to } }) as AreaEvent);
