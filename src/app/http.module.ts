import { Inject, Module, type OnModuleInit } from '@nestjs/common';
import { APP_FILTER, APP_PIPE, HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import type { ReadReplicas } from '../platform/postgres/read-replicas/read-replicas.ts';
import { AccessRecorder } from '../accounts/accesses/access-recorder.ts';
import { recordAccesses } from '../accounts/accesses/record-accesses.ts';
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
import { ReadModelsModule } from './read-models.module.ts';
import { READ_REPLICAS, readFromReplicas } from '../platform/http/reads/read-from-replicas.ts';
import { RouteInterceptors } from './route-interceptors.ts';
import { serveConsole } from '../platform/http/server/console-routes.ts';
import { validationPipe } from '../platform/http/validation/validation.pipe.ts';

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
