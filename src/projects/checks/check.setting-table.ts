import { changedSettings, formerUnlessLarge, settingOfEvent } from '../../kernel/change.ts';
import type { EventOf } from '../../kernel/event.ts';
import type { CheckEvents } from './check.events.ts';
import type { CheckSettings } from './check.settings.ts';

export type CheckEvent = EventOf<CheckEvents>;

/** Each setting of a check and the event that says it changed. */
export const checkSettingTable = {
  name: 'CheckRenamed',
  url: 'CheckUrlChanged',
  enabled: 'CheckSwitched',
  notice: 'CheckNoticeChanged',
  type: 'CheckTypeChanged',
  rules: 'CheckRulesChanged',
  options: 'CheckOptionsChanged',
  template: 'CheckTemplateChanged',
  key: 'CheckKeyChanged',
} as const satisfies Record<keyof CheckSettings, keyof CheckEvents>;

export const checkSettingOf = settingOfEvent(checkSettingTable);

const LARGE: readonly string[] = ['CheckRulesChanged', 'CheckOptionsChanged'] satisfies (keyof CheckEvents)[];
const isLarge = (type: string): boolean => LARGE.includes(type);

export const checkChanges = (checkId: string, settings: CheckSettings, wanted: Partial<CheckSettings>): readonly CheckEvent[] =>
  // The table pairs each setting with the event of its type, which the compiler cannot follow through a mapped array.
  changedSettings(checkSettingTable, settings, wanted).map(
    ({ type, from, to }) => ({ type, data: { checkId, ...(isLarge(type) ? formerUnlessLarge(from) : { from }), to } }) as CheckEvent,
  );
