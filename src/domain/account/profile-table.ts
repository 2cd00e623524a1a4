import type { EventBody, Sealed } from '../../kernel/event.ts';
import type { AccountEvents } from './account.events.ts';
import type { Profile } from './account.ts';

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
export function profileChanges(profile: Profile, wanted: Partial<Profile>): readonly ProfileEvent[] {
  const names = Object.keys(profileTable) as (keyof Profile)[];
  return names
    .filter((name) => wanted[name] !== undefined && !same(wanted[name], profile[name]))
    .map((name) => ({ type: profileTable[name], data: { from: profile[name], to: wanted[name] } }) as ProfileEvent);
}

type Value = string | number | Sealed | null | undefined;

/** Equal texts of one subject seal to equal values. */
const same = (left: Value, right: Value): boolean => (isSealed(left) && isSealed(right) ? left.sealed === right.sealed : left === right);

const isSealed = (value: Value): value is Sealed => typeof value === 'object' && value !== null;
