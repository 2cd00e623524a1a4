import { Global, Module, Inject, type OnModuleInit } from '@nestjs/common';
import { CorrectionReader } from '../checker/corrections/correction.reader.ts';
import { AreaFactsReader } from '../checker/status/area-facts.ts';
import { CheckFactsReader } from '../checker/status/check-facts.ts';
import { ProjectDirectory } from '../accounts/rights/project-directory.ts';
import { ProjectRows } from '../projects/project-rows.ts';
import { AreaFindings } from '../projects/areas/area.presenter.ts';
import { CheckFindings } from '../projects/checks/check.presenter.ts';
import { ProjectFindings } from '../projects/project.presenter.ts';
import { ProjectFactsReader } from '../watches/project-facts.ts';
import { PastProjectsReader } from '../projects/past-projects.reader.ts';
import { ProjectListReader } from '../projects/project-list.reader.ts';
import { ResponseTimesReader } from '../watches/response-times/response-times.reader.ts';
import { UptimeReader } from '../watches/uptime/uptime.reader.ts';
import { APP_FILTER, APP_PIPE, HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import type { ReadReplicas } from '../platform/postgres/read-replicas/read-replicas.ts';
import { AccessRecorder } from '../accounts/accesses/access-recorder.ts';
import { recordAccesses } from '../accounts/accesses/records-access.ts';
import { answerAsOf } from '../platform/http/as-of/as-of-answers.ts';
import { ErrorFilter } from '../platform/http/errors/error.filter.ts';
import { EventBudget } from '../accounts/budgets/event-budget.ts';
import { HistoryOfThings } from '../history/unread-changes.ts';
import { UnreadChanges } from '../platform/http/conditions/thing.ts';
import { WriteBudgets } from '../platform/http/context/request-context.ts';
import { WriteInterceptor } from '../platform/http/idempotency/write.interceptor.ts';
import { ListInterceptor } from './list.interceptor.ts';
import { AccountsRoutesModule } from '../accounts/accounts-routes.module.ts';
import { AlertsRoutesModule } from '../alerts/alerts-routes.module.ts';
import { CheckerRoutesModule } from '../checker/checker-routes.module.ts';
import { HistoryRoutesModule } from '../history/history-routes.module.ts';
import { OperationsRoutesModule } from '../operations/operations-routes.module.ts';
import { OverviewRoutesModule } from '../overview/overview-routes.module.ts';
import { ProjectsRoutesModule } from '../projects/projects-routes.module.ts';
import { ProofRoutesModule } from '../proof/proof-routes.module.ts';
import { StatementRoutesModule } from '../proof/statement/statement-routes.module.ts';
import { SiteFilesRoutesModule } from '../site-files/site-files-routes.module.ts';
import { StatusPagesRoutesModule } from '../status-pages/status-pages-routes.module.ts';
import { StreamsRoutesModule } from '../streams/streams-routes.module.ts';
import { TeamsRoutesModule } from '../teams/teams-routes.module.ts';
import { WatchesRoutesModule } from '../watches/watches-routes.module.ts';
import { READ_REPLICAS, readFromReplicas } from '../platform/http/reads/read-from-replicas.ts';
import { RouteInterceptors } from './route-interceptors.ts';
import { serveConsole } from '../platform/http/server/console-routes.ts';
import { validationPipe } from '../platform/http/validation/validation.pipe.ts';

const readers = [CheckFactsReader, CorrectionReader, PastProjectsReader, ProjectListReader, ResponseTimesReader, UptimeReader];

/** What a capability asks of one after it: it declares the port, the other one implements it. */
const ports = [
  { provide: ProjectDirectory, useClass: ProjectRows },
  { provide: AreaFindings, useClass: AreaFactsReader },
  { provide: CheckFindings, useExisting: CheckFactsReader },
  { provide: ProjectFindings, useClass: ProjectFactsReader },
];

/** Reads that combine views with observations or the log; a single view is read through `Views`. And the ports between capabilities. */
@Global()
@Module({ providers: [...readers, ...ports], exports: [...readers, ...ports.map(({ provide }) => provide)] })
class ReadModelsModule {}

/** What clients see: the routes of every capability, each of which imports only modules of those before it. */
@Module({
  imports: [
    ReadModelsModule,
    AccountsRoutesModule,
    ProjectsRoutesModule,
    CheckerRoutesModule,
    WatchesRoutesModule,
    AlertsRoutesModule,
    HistoryRoutesModule,
    StreamsRoutesModule,
    ProofRoutesModule,
    StatementRoutesModule,
    StatusPagesRoutesModule,
    OverviewRoutesModule,
    TeamsRoutesModule,
    SiteFilesRoutesModule,
    OperationsRoutesModule,
  ],
  providers: [
    { provide: UnreadChanges, useClass: HistoryOfThings },
    { provide: WriteBudgets, useExisting: EventBudget },
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
