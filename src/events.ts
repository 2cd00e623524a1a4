import { type EntriesOf, upcastWith } from './kernel/catalogue.ts';
import type { LogEvent } from './kernel/event.ts';
import { type AccountEvents, accountEvents } from './accounts/account.events.ts';
import { type AccessEvents, accessEvents } from './accounts/accesses/access.events.ts';
import { type AreaEvents, areaEvents } from './projects/areas/area.events.ts';
import { type CheckEvents, checkEvents } from './projects/checks/check.events.ts';
import { type BadgeEvents, badgeEvents } from './overview/badge/badge.events.ts';
import { type CertificateEvents, certificateEvents } from './watches/certificate/certificate.events.ts';
import { type CorrectionEvents, correctionEvents } from './checker/corrections/correction.events.ts';
import { type DaysEvents, daysEvents } from './watches/days/days.events.ts';
import { type DestinationEvents, destinationEvents } from './streams/destinations/destination.events.ts';
import { type JobEvents, jobEvents } from './checker/jobs/job.events.ts';
import { type MaintenanceEvents, maintenanceEvents } from './projects/maintenance/maintenance.events.ts';
import { type ImportedUptimeEvents, importedUptimeEvents } from './watches/imported-uptime/imported-uptime.events.ts';
import { type ObjectiveEvents, objectiveEvents } from './projects/objectives/objective.events.ts';
import { type NotificationEvents, notificationEvents } from './alerts/notification.events.ts';
import { type PreferenceEvents, preferenceEvents } from './alerts/preferences/preference.events.ts';
import { type ProbeEvents, probeEvents } from './checker/probe.events.ts';
import { type ProjectEvents, projectEvents } from './projects/project.events.ts';
import { type RedirectEvents, redirectEvents } from './watches/redirect/redirect.events.ts';
import { type IncidentEvents, incidentEvents } from './status-pages/incident.events.ts';
import { type StatusPageEvents, statusPageEvents } from './status-pages/status-page.events.ts';
import { type StatementEvents, statementEvents } from './proof/statement/statement.events.ts';
import { type SystemEvents, systemEvents } from './history/system.events.ts';
import { type UptimeEvents, uptimeEvents } from './watches/uptime/uptime.events.ts';
import { type VerdictEvents, verdictEvents } from './checker/verdicts/verdict.events.ts';

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
