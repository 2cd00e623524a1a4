import type { View } from './authoring/define-view.ts';
import { accountView } from './read-models/account/account.view.ts';
import { areaView } from './read-models/area/area.view.ts';
import { checkView } from './read-models/check/check.view.ts';
import { correctionView } from './read-models/correction/correction.view.ts';
import { preferenceView } from './read-models/preference/preference.view.ts';
import { jobView } from './read-models/job/job.view.ts';
import { badgeView } from './read-models/badge/badge.view.ts';
import { channelView } from './read-models/channel/channel.view.ts';
import { destinationView, installationDestinationView } from './read-models/destination/destination.view.ts';
import { certificateView } from './read-models/certificate/certificate.view.ts';
import { maintenanceView } from './read-models/maintenance/maintenance.view.ts';
import { importedUptimeView } from './read-models/imported-uptime/imported-uptime.view.ts';
import { objectiveView } from './read-models/objective/objective.view.ts';
import { projectView } from './read-models/project/project.view.ts';
import { redirectView } from './read-models/redirect/redirect.view.ts';
import { reportedView } from './read-models/reported/reported.view.ts';
import { responseDaysView } from './read-models/response-times/response-days.view.ts';
import { installationServiceAccountView, serviceAccountView } from './read-models/service-account/service-account.view.ts';
import { standingView } from './read-models/standing/standing.view.ts';
import { incidentsView } from './read-models/status-page/incidents.view.ts';
import { statusPageView } from './read-models/status-page/status-page.view.ts';
import { uptimeDaysView } from './read-models/uptime/uptime-days.view.ts';
import { uptimeView } from './read-models/uptime/uptime.view.ts';
import { verdictView } from './read-models/verdict/verdict.view.ts';

/** The core views: one unit, one checkpoint, one schema. A new read model is a folder and a row here. */
export const coreViews: readonly View[] = [
  projectView,
  areaView,
  checkView,
  verdictView,
  standingView,
  jobView,
  accountView,
  preferenceView,
  uptimeView,
  uptimeDaysView,
  responseDaysView,
  correctionView,
  certificateView,
  redirectView,
  maintenanceView,
  serviceAccountView,
  installationServiceAccountView,
  badgeView,
  objectiveView,
  importedUptimeView,
  channelView,
  destinationView,
  installationDestinationView,
  reportedView,
  statusPageView,
  incidentsView,
];
