import type { View } from './kit/define-view.ts';
import { accountView } from './account/account.view.ts';
import { areaView } from './area/area.view.ts';
import { checkView } from './check/check.view.ts';
import { correctionView } from './correction/correction.view.ts';
import { preferenceView } from './preference/preference.view.ts';
import { jobView } from './job/job.view.ts';
import { badgeView } from './badge/badge.view.ts';
import { channelView } from './channel/channel.view.ts';
import { certificateView } from './certificate/certificate.view.ts';
import { maintenanceView } from './maintenance/maintenance.view.ts';
import { projectView } from './project/project.view.ts';
import { redirectView } from './redirect/redirect.view.ts';
import { reportedView } from './reported/reported.view.ts';
import { responseDaysView } from './response-times/response-days.view.ts';
import { standingView } from './standing/standing.view.ts';
import { uptimeDaysView } from './uptime/uptime-days.view.ts';
import { uptimeView } from './uptime/uptime.view.ts';
import { verdictView } from './verdict/verdict.view.ts';

/** The views of the service itself: one unit, one checkpoint, one schema. A new read model is a folder and a row here. */
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
  badgeView,
  channelView,
  reportedView,
];
