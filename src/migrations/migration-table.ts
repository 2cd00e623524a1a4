import type { MigrationInterface } from 'typeorm';
import { CreateLog1700000001000 } from './0001-log.migration.ts';
import { CreateBase1700000002000 } from './0002-base.migration.ts';
import { CreateProjections1700000003000 } from './0003-projections.migration.ts';
import { CreateAccounts1700000004000 } from './0004-accounts.migration.ts';
import { CreateObservations1700000005000 } from './0005-observations.migration.ts';
import { CreateIdempotency1700000006000 } from './0006-idempotency.migration.ts';
import { CreateNotifications1700000008000 } from './0008-notifications.migration.ts';
import { CreateLedger1700000009000 } from './0009-ledger.migration.ts';
import { CreateKeptAnswers1700000010000 } from './0010-kept-answers.migration.ts';
import { CreatePasswordChanges1700000011000 } from './0011-password-changes.migration.ts';
import { CreateSetAside1700000012000 } from './0012-set-aside.migration.ts';
import { IndexLogByChain1700000013000 } from './0013-log-by-chain.migration.ts';
import { AddIntentsMade1700000014000 } from './0014-intents-made.migration.ts';
import { CreateAccountUse1700000015000 } from './0015-account-use.migration.ts';
import { CreateInvitations1700000016000 } from './0016-invitations.migration.ts';
import { AddSessions1700000017000 } from './0017-sessions.migration.ts';
import { CreateLedgerEvidence1700000018000 } from './0018-ledger-evidence.migration.ts';
import { CreateSecondFactors1700000019000 } from './0019-second-factors.migration.ts';
import { CreateSignInCodes1700000020000 } from './0020-sign-in-codes.migration.ts';
import { CreateMailOutbox1700000021000 } from './0021-mail-outbox.migration.ts';
import { CreateWitness1700000022000 } from './0022-witness.migration.ts';
import { CreateWriteProbe1700000023000 } from './0023-write-probe.migration.ts';
import { AddKnownNetworks1700000025000 } from './0025-known-networks.migration.ts';
import { CreateInstallationKey1700000026000 } from './0026-installation-key.migration.ts';
import { IndexLogByTypeAndActor1700000027000 } from './0027-log-by-type-and-actor.migration.ts';
import { CreateStreamSnapshots1700000029000 } from './0029-stream-snapshots.migration.ts';
import { CreateAsOfSnapshots1700000030000 } from './0030-as-of-snapshots.migration.ts';
import { CountSlots1700000032000 } from './0032-slot-count.migration.ts';
import { AddMailAge1700000033000 } from './0033-mail-age.migration.ts';
import { CreateFormHtml1700000034000 } from './0034-form-html.migration.ts';
import { AnswerRecordedTime1700000036000 } from './0036-recorded-time.migration.ts';
import { IndexOpenDeliveries1700000038000 } from './0038-open-deliveries.migration.ts';
import { CreateKeptExchanges1700000043000 } from './0043-kept-exchanges.migration.ts';
import { MarkPassingAnswers1700000044000 } from './0044-passing-answers.migration.ts';
import { KeepPastDeliveries1700000045000 } from './0045-past-deliveries.migration.ts';
import { CountRecordAccesses1700000048000 } from './0048-record-accesses.migration.ts';
import { NotePageEnds1700000050000 } from './0050-page-ends.migration.ts';
import { StoreOriginEnds1700000053000 } from './0053-origin-ends.migration.ts';
import { AddTokenLastUsedFrom1700000058000 } from './0058-token-last-used-from.migration.ts';
import { CreateTokenScopeUse1700000059000 } from './0059-token-scope-use.migration.ts';
import { AddServiceTokens1700000060000 } from './0060-service-tokens.migration.ts';
import { CreateDestinations1700000064000 } from './0064-destinations.migration.ts';
import { CreateSubscriptions1700000062000 } from './0062-subscriptions.migration.ts';
import { AllowInstallationServiceTokens1700000070000 } from './0070-installation-service-tokens.migration.ts';
import { AddSessionCookies1700000074000 } from './0074-session-cookies.migration.ts';
import { AddSignInLinks1700000075000 } from './0075-sign-in-links.migration.ts';
import { CreateProcessCheckpoints1700000076000 } from './0076-process-checkpoints.migration.ts';
import { GuardShardNumbering1700000077000 } from './0077-shard-numbering.migration.ts';
import { IsolateTeamProcesses1700000078000 } from './0078-team-processes.migration.ts';
import { StoreStatusSubscribers1700000079000 } from './0079-status-subscribers.migration.ts';
import { CreateObservationFences1700000080000 } from './0080-observation-fences.migration.ts';
import { CreateObservationHome1700000081000 } from './0081-observation-home.migration.ts';
import { StorePageBodies1700000082000 } from './0082-page-bodies.migration.ts';
import { IndexLogByCommit1700000083000 } from './0083-log-by-commit.migration.ts';
import { CreateTeamReactors1700000084000 } from './0084-team-reactors.migration.ts';
import { SummarizeHours1700000085000 } from './0085-hour-summaries.migration.ts';
import { IsolateTeamRoles1700000066000 } from './0066-team-roles.migration.ts';
import { StoreStatements1700000046000 } from './0046-statement.migration.ts';
import { AddIdempotencyPosition1700000037000 } from './0037-idempotency-position.migration.ts';
import { AddFlushIds1700000031000 } from './0031-flush-ids.migration.ts';

/** In order; a released migration is never edited, a change is a new one. */
export const migrations: readonly (new () => MigrationInterface)[] = [
  CreateLog1700000001000,
  CreateBase1700000002000,
  CreateProjections1700000003000,
  CreateAccounts1700000004000,
  CreateObservations1700000005000,
  CreateIdempotency1700000006000,
  CreateNotifications1700000008000,
  CreateLedger1700000009000,
  CreateKeptAnswers1700000010000,
  CreatePasswordChanges1700000011000,
  CreateSetAside1700000012000,
  IndexLogByChain1700000013000,
  AddIntentsMade1700000014000,
  CreateAccountUse1700000015000,
  CreateInvitations1700000016000,
  AddSessions1700000017000,
  CreateLedgerEvidence1700000018000,
  CreateSecondFactors1700000019000,
  CreateSignInCodes1700000020000,
  CreateMailOutbox1700000021000,
  CreateWitness1700000022000,
  CreateWriteProbe1700000023000,
  AddKnownNetworks1700000025000,
  CreateInstallationKey1700000026000,
  IndexLogByTypeAndActor1700000027000,
  CreateStreamSnapshots1700000029000,
  CreateAsOfSnapshots1700000030000,
  AddFlushIds1700000031000,
  CountSlots1700000032000,
  AddMailAge1700000033000,
  CreateFormHtml1700000034000,
  AnswerRecordedTime1700000036000,
  AddIdempotencyPosition1700000037000,
  IndexOpenDeliveries1700000038000,
  CreateKeptExchanges1700000043000,
  MarkPassingAnswers1700000044000,
  KeepPastDeliveries1700000045000,
  StoreStatements1700000046000,
  CountRecordAccesses1700000048000,
  NotePageEnds1700000050000,
  StoreOriginEnds1700000053000,
  AddTokenLastUsedFrom1700000058000,
  CreateTokenScopeUse1700000059000,
  AddServiceTokens1700000060000,
  CreateSubscriptions1700000062000,
  CreateDestinations1700000064000,
  IsolateTeamRoles1700000066000,
  AllowInstallationServiceTokens1700000070000,
  AddSessionCookies1700000074000,
  AddSignInLinks1700000075000,
  CreateProcessCheckpoints1700000076000,
  GuardShardNumbering1700000077000,
  IsolateTeamProcesses1700000078000,
  StoreStatusSubscribers1700000079000,
  CreateObservationFences1700000080000,
  CreateObservationHome1700000081000,
  StorePageBodies1700000082000,
  IndexLogByCommit1700000083000,
  CreateTeamReactors1700000084000,
  SummarizeHours1700000085000,
];
