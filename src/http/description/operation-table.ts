import { accountOperations, ownAccountSchemas } from '../account/account.description.ts';
import { accountSchemas } from '../account/person.description.ts';
import { tokenOperations, tokenSchemas } from '../account/tokens.description.ts';
import { areaOperations, areaSchemas } from '../area/area.description.ts';
import { authenticateOperations, authenticateSchemas } from '../auth/authenticate.description.ts';
import { channelOperations, channelSchemas } from '../channel/channels.description.ts';
import { badgeSchemas, chartOperations } from '../charts/charts.description.ts';
import { checkOperations, checkSchemas } from '../check/check.description.ts';
import { ruleSchemas } from '../check/rule.description.ts';
import { compareOperations, compareSchemas } from '../compare/compare.description.ts';
import { correctionOperations, correctionSchemas } from '../correction/corrections.description.ts';
import { historyOperations, historySchemas } from '../history/history.description.ts';
import { jobOperations, jobSchemas } from '../job/job.description.ts';
import { ledgerOperations, ledgerSchemas } from '../ledger/ledger.description.ts';
import { liveOperations } from '../live/live.description.ts';
import { maintenanceOperations, maintenanceSchemas } from '../maintenance/maintenance.description.ts';
import { memberOperations, memberSchemas } from '../member/members.description.ts';
import { notificationOperations, notificationSchemas } from '../preference/notification-settings.description.ts';
import { projectOperations, projectSchemas } from '../project/project.description.ts';
import { projectionOperations, projectionSchemas } from '../projections/projections.description.ts';
import { responseTimesOperations, responseTimesSchemas } from '../response-times/response-times.description.ts';
import { statusOperations, statusSchemas } from '../status/status.description.ts';
import { trialOperations, trialSchemas } from '../trial/trial.description.ts';
import { uptimeOperations, uptimeSchemas } from '../uptime/uptime.description.ts';
import type { Operations } from './operation.ts';
import type { Schema } from './schema.ts';
import { descriptionOperations, serviceSchemas } from './service.description.ts';
import { sharedSchemas } from './vocabulary.ts';

/** What every operation of the API takes and answers: a row for each route; a test names a missing one. */
export const operationTable: Operations = {
  ...authenticateOperations,
  ...accountOperations,
  ...tokenOperations,
  ...channelOperations,
  ...projectOperations,
  ...memberOperations,
  ...notificationOperations,
  ...areaOperations,
  ...checkOperations,
  ...trialOperations,
  ...correctionOperations,
  ...jobOperations,
  ...statusOperations,
  ...uptimeOperations,
  ...responseTimesOperations,
  ...chartOperations,
  ...maintenanceOperations,
  ...historyOperations,
  ...compareOperations,
  ...liveOperations,
  ...ledgerOperations,
  ...projectionOperations,
  ...descriptionOperations,
};

/** Every shape that an operation names. */
export const schemaTable: Readonly<Record<string, Schema>> = {
  ...sharedSchemas,
  ...authenticateSchemas,
  ...accountSchemas,
  ...ownAccountSchemas,
  ...tokenSchemas,
  ...channelSchemas,
  ...projectSchemas,
  ...memberSchemas,
  ...notificationSchemas,
  ...areaSchemas,
  ...ruleSchemas,
  ...checkSchemas,
  ...trialSchemas,
  ...correctionSchemas,
  ...jobSchemas,
  ...statusSchemas,
  ...uptimeSchemas,
  ...responseTimesSchemas,
  ...badgeSchemas,
  ...maintenanceSchemas,
  ...historySchemas,
  ...compareSchemas,
  ...ledgerSchemas,
  ...projectionSchemas,
  ...serviceSchemas,
};
