import { invitationOperations } from '../member/invitation.description.ts';
import { batchDescriptions } from '../batch/batch.description.ts';
import { accountOperations } from '../account/account.description.ts';
import { identityOperations } from '../account/identity.description.ts';
import { tokenOperations } from '../account/token.description.ts';
import { areaOperations } from '../area/area.description.ts';
import { providerOperations } from '../auth/provider/provider.description.ts';
import { authenticateOperations } from '../auth/authenticate.description.ts';
import { channelOperations } from '../channel/channel.description.ts';
import { chartOperations } from '../charts/charts.description.ts';
import { checkOperations } from '../check/check.description.ts';
import { compareOperations } from '../compare/compare.description.ts';
import { correctionOperations } from '../correction/correction.description.ts';
import { destinationOperations } from '../destination/destination.description.ts';
import { evidenceOperations } from '../evidence/evidence.description.ts';
import { eventSchemaOperations } from '../history/schemas/event-schema.description.ts';
import { feedOperations } from '../history/feed/feed.description.ts';
import { historyOperations } from '../history/history.description.ts';
import { installationOperations } from '../installation/installation.description.ts';
import { jobOperations } from '../job/job.description.ts';
import { ledgerOperations } from '../ledger/ledger.description.ts';
import { usageOperations } from '../account/usage.description.ts';
import { liveOperations } from '../live/live.description.ts';
import { siteFilesOperations } from '../site-files/site-files.description.ts';
import { maintenanceOperations } from '../maintenance/maintenance.description.ts';
import { serviceAccountOperations } from '../service-account/service-account.description.ts';
import { memberOperations } from '../member/member.description.ts';
import { notificationOperations } from '../preference/notification-settings.description.ts';
import { importedUptimeOperations } from '../imported-uptime/imported-uptime.description.ts';
import { objectiveOperations } from '../objective/objective.description.ts';
import { overviewOperations } from '../overview/overview.description.ts';
import { projectOperations } from '../project/project.description.ts';
import { projectionOperations } from '../projections/projection.description.ts';
import { reactorOperations } from '../reactors/reactor.description.ts';
import { responseTimesOperations } from '../response-times/response-times.description.ts';
import { secondFactorOperations } from '../second-factor/second-factor.description.ts';
import { sessionOperations } from '../session/session.description.ts';
import { statementOperations } from '../statement/statement.description.ts';
import { statusPageOperations } from '../status-page/status-page.description.ts';
import { subscriberOperations } from '../status-page/subscriber.description.ts';
import { statusOperations } from '../status/status.description.ts';
import { subscriptionOperations } from '../subscriptions/subscription.description.ts';
import { trialOperations } from '../trial/trial.description.ts';
import { uptimeOperations } from '../uptime/uptime.description.ts';
import type { Operations } from './operation.ts';
import { descriptionOperations } from './service.description.ts';

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
