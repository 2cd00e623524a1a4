import { type EntriesOf, upcastWith } from '../kernel/catalogue.ts';
import type { LogEvent } from '../kernel/event.ts';
import { type AccountEvents, accountEvents } from './account/account.events.ts';
import { type AccessEvents, accessEvents } from './access/access.events.ts';
import { type AreaEvents, areaEvents } from './area/area.events.ts';
import { type CheckEvents, checkEvents } from './check/check.events.ts';
import { type BadgeEvents, badgeEvents } from './badge/badge.events.ts';
import { type CertificateEvents, certificateEvents } from './certificate/certificate.events.ts';
import { type CorrectionEvents, correctionEvents } from './check/correction.events.ts';
import { type DaysEvents, daysEvents } from './days/days.events.ts';
import { type DestinationEvents, destinationEvents } from './destination/destination.events.ts';
import { type JobEvents, jobEvents } from './job/job.events.ts';
import { type MaintenanceEvents, maintenanceEvents } from './maintenance/maintenance.events.ts';
import { type ImportedUptimeEvents, importedUptimeEvents } from './imported-uptime/imported-uptime.events.ts';
import { type ObjectiveEvents, objectiveEvents } from './objective/objective.events.ts';
import { type NotificationEvents, notificationEvents } from './notification/notification.events.ts';
import { type PreferenceEvents, preferenceEvents } from './preference/preference.events.ts';
import { type ProbeEvents, probeEvents } from './probe/probe.events.ts';
import { type ProjectEvents, projectEvents } from './project/project.events.ts';
import { type RedirectEvents, redirectEvents } from './redirect/redirect.events.ts';
import { type IncidentEvents, incidentEvents } from './status-page/incident.events.ts';
import { type StatusPageEvents, statusPageEvents } from './status-page/status-page.events.ts';
import { type StatementEvents, statementEvents } from './statement/statement.events.ts';
import { type SystemEvents, systemEvents } from './system/system.events.ts';
import { type UptimeEvents, uptimeEvents } from './uptime/uptime.events.ts';
import { type VerdictEvents, verdictEvents } from './verdict/verdict.events.ts';

/** The catalogue: every event that the service ever writes, by type. */
export interface Events
  extends
    ProjectEvents,
    AreaEvents,
    CheckEvents,
    CorrectionEvents,
    AccountEvents,
    PreferenceEvents,
    JobEvents,
    VerdictEvents,
    ProbeEvents,
    UptimeEvents,
    CertificateEvents,
    RedirectEvents,
    MaintenanceEvents,
    BadgeEvents,
    ObjectiveEvents,
    ImportedUptimeEvents,
    DestinationEvents,
    NotificationEvents,
    DaysEvents,
    AccessEvents,
    StatementEvents,
    StatusPageEvents,
    IncidentEvents,
    SystemEvents {}

export type EventType = keyof Events;
export type LogEventOf<Type extends EventType> = LogEvent<Type, Events[Type]>;

export const catalogue = {
  ...projectEvents,
  ...areaEvents,
  ...checkEvents,
  ...correctionEvents,
  ...accountEvents,
  ...preferenceEvents,
  ...jobEvents,
  ...verdictEvents,
  ...probeEvents,
  ...uptimeEvents,
  ...certificateEvents,
  ...redirectEvents,
  ...maintenanceEvents,
  ...badgeEvents,
  ...objectiveEvents,
  ...importedUptimeEvents,
  ...destinationEvents,
  ...notificationEvents,
  ...daysEvents,
  ...accessEvents,
  ...statementEvents,
  ...statusPageEvents,
  ...incidentEvents,
  ...systemEvents,
} satisfies EntriesOf<Events>;

export const upcast = upcastWith(catalogue);

export const isKnown = (type: string): type is EventType => Object.hasOwn(catalogue, type);
