import { changedSettings, settingOfEvent } from '../kernel/change.ts';
import type { EventBody } from '../kernel/event.ts';
import type { ProjectEvents } from './project.events.ts';
import type { ProjectSettings } from './project.settings.ts';

/** Each setting and the event that says it changed. */
export const settingTable = {
  title: 'ProjectRenamed',
  url: 'ProjectUrlChanged',
  period: 'PeriodChanged',
  uptimeUrl: 'UptimeUrlChanged',
  uptimePeriod: 'UptimePeriodChanged',
  location: 'LocationChanged',
  checkDefaultErrors: 'DefaultErrorsSwitched',
  userAgent: 'UserAgentChanged',
  timeout: 'TimeoutChanged',
  delay: 'DelayChanged',
  sslAlertPeriod: 'CertificateAlertPeriodChanged',
  httpsRedirectEnabled: 'RedirectWatchSwitched',
  webPushEnabled: 'WebPushSwitched',
  securityMonitoringEnabled: 'SecurityMonitoringSwitched',
  tags: 'ProjectTagsChanged',
  key: 'ProjectKeyChanged',
} as const satisfies Record<keyof ProjectSettings, keyof ProjectEvents>;

export type SettingEventType = (typeof settingTable)[keyof ProjectSettings];
export type SettingEvent = { [Type in SettingEventType]: EventBody<Type, ProjectEvents[Type]> }[SettingEventType];

export const settingOf = settingOfEvent(settingTable);

/** One event for each setting that really changes. */
export const changesOf = (settings: ProjectSettings, wanted: Partial<ProjectSettings>): readonly SettingEvent[] =>
  // The table pairs each setting with the event of its type, which the compiler cannot follow through a mapped array.
  changedSettings(settingTable, { tags: [], ...settings }, wanted).map(
    ({ type, from, to }) => ({ type, data: { from, to } }) as SettingEvent,
  );
