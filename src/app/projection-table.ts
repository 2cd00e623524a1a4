import type { View } from '../platform/read-models/authoring/define-view.ts';
import { accountView } from '../accounts/account.view.ts';
import { areaView } from '../projects/areas/area.view.ts';
import { checkView } from '../projects/checks/check.view.ts';
import { correctionView } from '../checker/corrections/correction.view.ts';
import { preferenceView } from '../alerts/preferences/preference.view.ts';
import { jobView } from '../checker/jobs/job.view.ts';
import { badgeView } from '../overview/badge/badge.view.ts';
import { channelView } from '../alerts/channels/channel.view.ts';
import { destinationView, installationDestinationView } from '../streams/destinations/destination.view.ts';
import { certificateView } from '../watches/certificate/certificate.view.ts';
import { maintenanceView } from '../projects/maintenance/maintenance.view.ts';
import { importedUptimeView } from '../watches/imported-uptime/imported-uptime.view.ts';
import { objectiveView } from '../projects/objectives/objective.view.ts';
import { projectView } from '../projects/project.view.ts';
import { redirectView } from '../watches/redirect/redirect.view.ts';
import { reportedView } from '../checker/status/reported.view.ts';
import { responseDaysView } from '../watches/response-times/response-days.view.ts';
import { installationServiceAccountView, serviceAccountView } from '../projects/service-accounts/service-account.view.ts';
import { standingView } from '../projects/standing.view.ts';
import { incidentsView } from '../status-pages/incidents.view.ts';
import { statusPageView } from '../status-pages/status-page.view.ts';
import { uptimeDaysView } from '../watches/uptime/uptime-days.view.ts';
import { uptimeView } from '../watches/uptime/uptime.view.ts';
import { verdictView } from '../checker/verdicts/verdict.view.ts';

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
