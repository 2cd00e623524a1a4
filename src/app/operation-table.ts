import { invitationOperations } from '../projects/members/invitation.api.ts';
import { batchDescriptions } from '../site-files/batch/batch.api.ts';
import { accountOperations } from '../accounts/account.api.ts';
import { identityOperations } from '../accounts/identity.api.ts';
import { tokenOperations } from '../accounts/token.api.ts';
import { areaOperations } from '../projects/areas/area.api.ts';
import { providerOperations } from '../accounts/sign-in/provider/provider.api.ts';
import { authenticateOperations } from '../accounts/sign-in/authenticate.api.ts';
import { channelOperations } from '../alerts/channels/channel.api.ts';
import { chartOperations } from '../overview/charts/charts.api.ts';
import { checkOperations } from '../projects/checks/check.api.ts';
import { compareOperations } from '../history/compare/compare.api.ts';
import { correctionOperations } from '../checker/corrections/correction.api.ts';
import { destinationOperations } from '../streams/destinations/destination.api.ts';
import { evidenceOperations } from '../checker/evidence/evidence.api.ts';
import { eventSchemaOperations } from '../history/schemas/event-schema.api.ts';
import { feedOperations } from '../history/feed/feed.api.ts';
import { historyOperations } from '../history/history.api.ts';
import { installationOperations } from '../operations/installation/installation.api.ts';
import { jobOperations } from '../checker/jobs/job.api.ts';
import { ledgerOperations } from '../proof/ledger.api.ts';
import { usageOperations } from '../accounts/usage.api.ts';
import { liveOperations } from '../streams/live/live.api.ts';
import { siteFilesOperations } from '../site-files/site-files.api.ts';
import { maintenanceOperations } from '../projects/maintenance/maintenance.api.ts';
import { serviceAccountOperations } from '../projects/service-accounts/service-account.api.ts';
import { memberOperations } from '../projects/members/member.api.ts';
import { notificationOperations } from '../alerts/preferences/notification-settings.api.ts';
import { importedUptimeOperations } from '../watches/imported-uptime/imported-uptime.api.ts';
import { objectiveOperations } from '../projects/objectives/objective.api.ts';
import { overviewOperations } from '../overview/overview.api.ts';
import { projectOperations } from '../projects/project.api.ts';
import { projectionOperations } from '../teams/projections/projection.api.ts';
import { consumerOperations } from '../operations/consumers/consumer.api.ts';
import { responseTimesOperations } from '../watches/response-times/response-times.api.ts';
import { secondFactorOperations } from '../accounts/second-factors/second-factor.api.ts';
import { sessionOperations } from '../accounts/sessions/session.api.ts';
import { statementOperations } from '../proof/statement/statement.api.ts';
import { statusPageOperations } from '../status-pages/status-page.api.ts';
import { subscriberOperations } from '../status-pages/subscriber.api.ts';
import { statusOperations } from '../checker/status/status.api.ts';
import { subscriptionOperations } from '../streams/subscriptions/subscription.api.ts';
import { trialOperations } from '../checker/trial/trial.api.ts';
import { uptimeOperations } from '../watches/uptime/uptime.api.ts';
import type { Operations } from '../platform/http/description/operation.ts';
import { descriptionOperations } from '../platform/http/description/service.api.ts';

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
  ...consumerOperations,
  ...installationOperations,
  ...descriptionOperations,
};
