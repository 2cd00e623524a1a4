import { Inject, Module, type OnModuleInit } from '@nestjs/common';
import { APP_FILTER, APP_PIPE, HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import type { ReadReplicas } from '../persistence/read-replicas/read-replicas.ts';
import { AccessRecorder } from '../processes/accesses/access-recorder.ts';
import { recordAccesses } from './accesses/record-accesses.ts';
import { answerAsOf } from './as-of/as-of-answers.ts';
import { AccountModule } from './account/account.module.ts';
import { AreaModule } from './area/area.module.ts';
import { AuthModule } from './auth/auth.module.ts';
import { BatchModule } from './batch/batch.module.ts';
import { ChannelModule } from './channel/channel.module.ts';
import { ChartsModule } from './charts/charts.module.ts';
import { CheckModule } from './check/check.module.ts';
import { CorrectionModule } from './correction/correction.module.ts';
import { DestinationModule } from './destination/destination.module.ts';
import { ErrorFilter } from './errors/error.filter.ts';
import { UnreadChanges } from './conditions/unread-changes.ts';
import { CompareModule } from './compare/compare.module.ts';
import { EvidenceModule } from './evidence/evidence.module.ts';
import { HistoryModule } from './history/history.module.ts';
import { WriteInterceptor } from './idempotency/write.interceptor.ts';
import { ListInterceptor } from './lists/list.interceptor.ts';
import { InstallationModule } from './installation/installation.module.ts';
import { JobModule } from './job/job.module.ts';
import { LedgerModule } from './ledger/ledger.module.ts';
import { LiveModule } from './live/live.module.ts';
import { MaintenanceModule } from './maintenance/maintenance.module.ts';
import { MemberModule } from './member/member.module.ts';
import { NotificationSettingsModule } from './preference/notification-settings.module.ts';
import { ImportedUptimeModule } from './imported-uptime/imported-uptime.module.ts';
import { ObjectiveModule } from './objective/objective.module.ts';
import { OverviewModule } from './overview/overview.module.ts';
import { ProjectModule } from './project/project.module.ts';
import { ReadModelsModule } from '../projections/read-models/read-models.module.ts';
import { ProjectionsModule } from './projections/projections.module.ts';
import { READ_REPLICAS, readFromReplicas } from './reads/read-from-replicas.ts';
import { ReactorsModule } from './reactors/reactors.module.ts';
import { RouteInterceptors } from './route-interceptors.ts';
import { ResponseTimesModule } from './response-times/response-times.module.ts';
import { SecondFactorModule } from './second-factor/second-factor.module.ts';
import { serveConsole } from './server/console-routes.ts';
import { ServiceAccountModule } from './service-account/service-account.module.ts';
import { SessionModule } from './session/session.module.ts';
import { SiteFilesModule } from './site-files/site-files.module.ts';
import { StatementModule } from './statement/statement.module.ts';
import { StatusPageModule } from './status-page/status-page.module.ts';
import { StatusModule } from './status/status.module.ts';
import { SubscriptionsModule } from './subscriptions/subscriptions.module.ts';
import { TrialModule } from './trial/trial.module.ts';
import { UptimeModule } from './uptime/uptime.module.ts';
import { validationPipe } from './validation/validation.pipe.ts';

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
    @Inject(RouteInterceptors) interceptors: RouteInterceptors,
    @Inject(AccessRecorder) accesses: AccessRecorder,
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
