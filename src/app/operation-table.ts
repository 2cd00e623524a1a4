import { invitationOperations } from '../projects/members/invitation.description.ts';
import { batchDescriptions } from '../site-files/batch/batch.description.ts';
import { accountOperations } from '../accounts/account.description.ts';
import { identityOperations } from '../accounts/identity.description.ts';
import { tokenOperations } from '../accounts/token.description.ts';
import { areaOperations } from '../projects/areas/area.description.ts';
import { providerOperations } from '../accounts/sign-in/provider/provider.description.ts';
import { authenticateOperations } from '../accounts/sign-in/authenticate.description.ts';
import { channelOperations } from '../alerts/channels/channel.description.ts';
import { chartOperations } from '../overview/charts/charts.description.ts';
import { checkOperations } from '../projects/checks/check.description.ts';
import { compareOperations } from '../history/compare/compare.description.ts';
import { correctionOperations } from '../checker/corrections/correction.description.ts';
import { destinationOperations } from '../streams/destinations/destination.description.ts';
import { evidenceOperations } from '../checker/evidence/evidence.description.ts';
import { eventSchemaOperations } from '../history/schemas/event-schema.description.ts';
import { feedOperations } from '../history/feed/feed.description.ts';
import { historyOperations } from '../history/history.description.ts';
import { installationOperations } from '../operations/installation/installation.description.ts';
import { jobOperations } from '../checker/jobs/job.description.ts';
import { ledgerOperations } from '../proof/ledger.description.ts';
import { usageOperations } from '../accounts/usage.description.ts';
import { liveOperations } from '../streams/live/live.description.ts';
import { siteFilesOperations } from '../site-files/site-files.description.ts';
import { maintenanceOperations } from '../projects/maintenance/maintenance.description.ts';
import { serviceAccountOperations } from '../projects/service-accounts/service-account.description.ts';
import { memberOperations } from '../projects/members/member.description.ts';
import { notificationOperations } from '../alerts/preferences/notification-settings.description.ts';
import { importedUptimeOperations } from '../watches/imported-uptime/imported-uptime.description.ts';
import { objectiveOperations } from '../projects/objectives/objective.description.ts';
import { overviewOperations } from '../overview/overview.description.ts';
import { projectOperations } from '../projects/project.description.ts';
import { projectionOperations } from '../teams/projections/projection.description.ts';
import { reactorOperations } from '../teams/reactors/reactor.description.ts';
import { responseTimesOperations } from '../watches/response-times/response-times.description.ts';
import { secondFactorOperations } from '../accounts/second-factors/second-factor.description.ts';
import { sessionOperations } from '../accounts/sessions/session.description.ts';
import { statementOperations } from '../proof/statement/statement.description.ts';
import { statusPageOperations } from '../status-pages/status-page.description.ts';
import { subscriberOperations } from '../status-pages/subscriber.description.ts';
import { statusOperations } from '../checker/status/status.description.ts';
import { subscriptionOperations } from '../streams/subscriptions/subscription.description.ts';
import { trialOperations } from '../checker/trial/trial.description.ts';
import { uptimeOperations } from '../watches/uptime/uptime.description.ts';
import type { Operations } from '../platform/http/description/operation.ts';
import { descriptionOperations } from '../platform/http/description/service.description.ts';

/** What every operation of the API takes and answers: a row for each route; a test names a missing one. */
export const operationTable: Operations = {
  ...authenticateOperations,
  ...providerOperations,
  ...sessionOperations,
  ...accountOperations,
  ...identityOperations,
  ...invitationOperations,
  ...tokenOperations,
  ...secondFactorOperations,
  ...channelOperations,
  ...projectOperations,
  ...overviewOperations,
  ...memberOperations,
  ...serviceAccountOperations,
  ...notificationOperations,
  ...areaOperations,
  ...checkOperations,
  ...trialOperations,
  ...correctionOperations,
  ...batchDescriptions,
  ...jobOperations,
  ...statusOperations,
  ...uptimeOperations,
  ...responseTimesOperations,
  ...chartOperations,
  ...maintenanceOperations,
  ...siteFilesOperations,
  ...objectiveOperations,
  ...importedUptimeOperations,
  ...statementOperations,
  ...historyOperations,
  ...destinationOperations,
  ...feedOperations,
  ...eventSchemaOperations,
  ...subscriptionOperations,
  ...statusPageOperations,
  ...subscriberOperations,
  ...evidenceOperations,
  ...compareOperations,
  ...liveOperations,
  ...usageOperations,
  ...ledgerOperations,
  ...projectionOperations,
  ...reactorOperations,
  ...installationOperations,
  ...descriptionOperations,
};
