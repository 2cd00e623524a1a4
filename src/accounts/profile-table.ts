import { changedSettings } from '../kernel/change.ts';
import type { EventBody } from '../kernel/event.ts';
import type { AccountEvents } from './account.events.ts';
import type { Profile } from './account.state.ts';

/** Each field of a profile and the event that says it changed. */
const profileTable = {
  name: 'NameChanged',
  phone: 'PhoneChanged',
  timezone: 'TimezoneChanged',
  notificationEmail: 'NotificationEmailChanged',
  notificationDelay: 'NotificationDelayChanged',
  reportPeriod: 'ReportPeriodChanged',
} as const satisfies Record<keyof Profile, keyof AccountEvents>;

type ProfileEventType = (typeof profileTable)[keyof Profile];
type ProfileEvent = { [Type in ProfileEventType]: EventBody<Type, AccountEvents[Type]> }[ProfileEventType];

/** One event for each field that really changes. */
export const profileChanges = (profile: Profile, wanted: Partial<Profile>): readonly ProfileEvent[] =>
  changedSettings(profileTable, profile, wanted).map(({ type, from, to }) => ({ type, data: { from, to } }) as ProfileEvent);
