import { Inject, Module, type OnModuleInit } from '@nestjs/common';
import { APP_FILTER, APP_PIPE, HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import type { ReadReplicas } from '../platform/postgres/read-replicas/read-replicas.ts';
import { AccessRecorder } from '../accounts/accesses/access-recorder.ts';
import { recordAccesses } from '../accounts/accesses/record-accesses.ts';
import { answerAsOf } from '../platform/http/as-of/as-of-answers.ts';
import { AccountModule } from '../accounts/account.module.ts';
import { AreaModule } from '../projects/areas/area.module.ts';
import { AuthModule } from '../accounts/sign-in/auth.module.ts';
import { BatchModule } from '../site-files/batch/batch.module.ts';
import { ChannelModule } from '../alerts/channels/channel.module.ts';
import { ChartsModule } from '../overview/charts/charts.module.ts';
import { CheckModule } from '../projects/checks/check.module.ts';
import { CorrectionModule } from '../checker/corrections/correction.module.ts';
import { DestinationModule } from '../streams/destinations/destination.module.ts';
import { ErrorFilter } from '../platform/http/errors/error.filter.ts';
import { UnreadChanges } from '../platform/http/conditions/unread-changes.ts';
import { CompareModule } from '../history/compare/compare.module.ts';
import { EvidenceModule } from '../history/evidence/evidence.module.ts';
import { HistoryModule } from '../history/history.module.ts';
import { WriteInterceptor } from '../platform/http/idempotency/write.interceptor.ts';
import { ListInterceptor } from '../platform/http/lists/list.interceptor.ts';
import { InstallationModule } from '../operations/installation/installation.module.ts';
import { JobModule } from '../checker/jobs/job.module.ts';
import { LedgerModule } from '../proof/ledger.module.ts';
import { LiveModule } from '../streams/live/live.module.ts';
import { MaintenanceModule } from '../projects/maintenance/maintenance.module.ts';
import { MemberModule } from '../projects/members/member.module.ts';
import { NotificationSettingsModule } from '../alerts/preferences/notification-settings.module.ts';
import { ImportedUptimeModule } from '../watches/imported-uptime/imported-uptime.module.ts';
import { ObjectiveModule } from '../projects/objectives/objective.module.ts';
import { OverviewModule } from '../overview/overview.module.ts';
import { ProjectModule } from '../projects/project.module.ts';
import { ReadModelsModule } from './read-models.module.ts';
import { ProjectionsModule } from '../teams/projections/projections.module.ts';
import { READ_REPLICAS, readFromReplicas } from '../platform/http/reads/read-from-replicas.ts';
import { ReactorsModule } from '../teams/reactors/reactors.module.ts';
import { RouteInterceptors } from './route-interceptors.ts';
import { ResponseTimesModule } from '../watches/response-times/response-times.module.ts';
import { SecondFactorModule } from '../accounts/second-factors/second-factor.module.ts';
import { serveConsole } from '../platform/http/server/console-routes.ts';
import { ServiceAccountModule } from '../projects/service-accounts/service-account.module.ts';
import { SessionModule } from '../accounts/sessions/session.module.ts';
import { SiteFilesModule } from '../site-files/site-files.module.ts';
import { StatementModule } from '../proof/statement/statement.module.ts';
import { StatusPageModule } from '../status-pages/status-page.module.ts';
import { StatusModule } from '../checker/status/status.module.ts';
import { SubscriptionsModule } from '../streams/subscriptions/subscriptions.module.ts';
import { TrialModule } from '../checker/trial/trial.module.ts';
import { UptimeModule } from '../watches/uptime/uptime.module.ts';
import { validationPipe } from '../platform/http/validation/validation.pipe.ts';

/** What clients see. */
@Module({
  imports: [
    ReadModelsModule,
    AuthModule,
    AccountModule,
    SessionModule,
    SecondFactorModule,
    MemberModule,
    ServiceAccountModule,
    NotificationSettingsModule,
    ChannelModule,
    ProjectModule,
    OverviewModule,
    AreaModule,
    CheckModule,
    BatchModule,
    JobModule,
    StatusModule,
    TrialModule,
    CorrectionModule,
    UptimeModule,
    ResponseTimesModule,
    MaintenanceModule,
    ObjectiveModule,
    ImportedUptimeModule,
    SiteFilesModule,
    StatementModule,
    ChartsModule,
    LedgerModule,
    HistoryModule,
    DestinationModule,
    EvidenceModule,
    ProjectionsModule,
    ReactorsModule,
    InstallationModule,
    CompareModule,
    LiveModule,
    SubscriptionsModule,
    StatusPageModule,
  ],
  providers: [
    UnreadChanges,
    { provide: APP_FILTER, useClass: ErrorFilter },
    WriteInterceptor,
    ListInterceptor,
    RouteInterceptors,
    { provide: APP_PIPE, useFactory: validationPipe },
  ],
})
export class HttpModule implements OnModuleInit {
  /** Before the routes are added. */
  constructor(
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost<FastifyAdapter>,
    interceptors: RouteInterceptors,
    accesses: AccessRecorder,
    @Inject(READ_REPLICAS) replicas: ReadReplicas | null,
  ) {
    interceptors.bind();
    recordAccesses(host.httpAdapter.getInstance(), accesses);
    if (replicas !== null) readFromReplicas(host.httpAdapter.getInstance(), replicas);
    answerAsOf(host.httpAdapter.getInstance());
  }

  onModuleInit(): void {
    serveConsole(this.host.httpAdapter.getInstance());
  }
}
