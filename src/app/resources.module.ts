import { type DynamicModule, Global, Module } from '@nestjs/common';
import pg from 'pg';
import { Claims } from '../platform/postgres/claims.ts';
import { HOOK_GUARD, SsrfGuard } from '../platform/security/ssrf-guard/ssrf-guard.ts';
import { Keyring } from '../platform/security/keyring/keyring.ts';
import { LEASES } from '../platform/postgres/leases.ts';
import { Wake } from '../platform/postgres/wake.ts';
import { ROTATING_SECRETS, Secrets } from '../platform/security/keyring/secrets.ts';
import { CHECKER_DATABASE, CHECKER_OBSERVATION_DATABASE, OBSERVATION_DATABASE, READ_DATABASE } from '../platform/postgres/pool.ts';
import { READ_REPLICAS } from '../platform/http/reads/read-from-replicas.ts';
import { BACKPRESSURE_GATE } from '../platform/commands/context.ts';
import { CONFIG, type Config } from '../platform/config/config.ts';
import { Plans } from '../accounts/plan.ts';
import { EVENT_STORE } from '../platform/event-store/event-store.ts';
import { BUDGET_METER, BudgetMetrics } from '../accounts/budgets/account-budgets.ts';
import { RequestViews } from '../platform/http/as-of/as-of.ts';
import { SignInMeter, SignInMetrics } from '../accounts/sign-in/provider/sign-in-meter.ts';
import { WRITE_VISIBILITY, type WriteVisibility } from '../platform/http/context/request-context.ts';
import { Ledger } from '../proof/seal/ledger.ts';
import { LogWitness } from '../proof/witness/log-witness.ts';
import { ConsumerAdmin } from '../platform/consumers/consumer-admin.ts';
import { ConsumerStore } from '../platform/consumers/consumer-store.ts';
import { CommandRunner } from '../platform/commands/command-runner.ts';
import { Log } from '../platform/log/log.ts';
import { LogSearcher } from '../platform/log/search.ts';
import { LimitMeter } from '../kernel/limits.ts';
import { TRACER } from '../kernel/tracer.ts';
import { ViewsAt } from '../platform/read-models/views/views.ts';
import { ProjectionAdmin } from '../platform/read-models/admin/projection-admin.ts';
import { ReadYourWrites } from '../platform/read-models/engine/read-your-writes.ts';
import { Outages } from '../platform/telemetry/health/outages.ts';
import { LOGGER } from '../platform/telemetry/logging/logger.ts';
import type { PlanLookup } from '../projects/project-slot.ts';
import { Metrics } from '../platform/telemetry/metrics/metrics.ts';
import { PAGE_BODIES } from '../platform/observations/pages/page-bodies.ts';
import { MailOutbox } from '../platform/mail/mail-outbox.ts';
import { MAILER } from '../platform/mail/mailer.ts';
import { doctorOf } from '../operations/doctor/doctor.ts';
import { DOCTOR } from '../operations/doctor/finding.ts';
import type { Resources } from './resources.ts';
import { Departures, ErasureNotices } from '../accounts/erasure/account-erasure.ts';
import { MemberDepartures } from '../projects/members/member-departures.ts';
import { ErasureNotice } from '../alerts/notices/erasure-notice.ts';

/** How long the answer to a write waits until reads show it (read-your-writes); then 503, and a retry with the same key waits again. */
const VISIBLE_TIMEOUT_MS = 5_000;

const writeVisibility = (readYourWrites: ReadYourWrites): WriteVisibility => ({
  gate: readYourWrites,
  waitFor: (place) => readYourWrites.waitUntilVisible([place], Date.now() + VISIBLE_TIMEOUT_MS),
});

/** Provides the resources, and what follows from them alone, to every other module. */
@Global()
@Module({})
export class ResourcesModule {
  static forRoot(config: Config, resources: Resources, plans: PlanLookup): DynamicModule {
    const providers = [
      { provide: CONFIG, useValue: config },
      { provide: LOGGER, useValue: resources.logger },
      { provide: TRACER, useValue: resources.tracer },
      { provide: pg.Pool, useValue: resources.pool },
      { provide: READ_DATABASE, useValue: resources.readPool },
      { provide: READ_REPLICAS, useValue: resources.replicas },
      { provide: CHECKER_DATABASE, useValue: resources.checkerPool },
      { provide: OBSERVATION_DATABASE, useValue: resources.observationPool },
      { provide: CHECKER_OBSERVATION_DATABASE, useValue: resources.checkerObservationPool },
      { provide: PAGE_BODIES, useValue: resources.pageBodies },
      { provide: EVENT_STORE, useValue: resources.store },
      { provide: Outages, useValue: resources.outages },
      { provide: CommandRunner, useValue: resources.runner },
      { provide: Log, useValue: resources.log },
      ...[LogSearcher, ConsumerStore, ConsumerAdmin],
      { provide: Wake, useValue: resources.wake },
      { provide: LEASES, useValue: resources.leases },
      { provide: Claims, useValue: resources.claims },
      { provide: Keyring, useValue: resources.keyring },
      { provide: Secrets, useValue: resources.secrets },
      { provide: MAILER, useValue: resources.mailer },
      { provide: MailOutbox, useValue: resources.mails },
      { provide: ErasureNotices, useClass: ErasureNotice },
      { provide: Departures, useClass: MemberDepartures },
      { provide: ROTATING_SECRETS, useValue: resources.rotating },
      { provide: Plans, useValue: plans },
      { provide: DOCTOR, useValue: doctorOf(config, resources.databaseUrl) },
      { provide: SsrfGuard, useValue: resources.guard },
      { provide: HOOK_GUARD, useValue: resources.hookGuard },
      { provide: ViewsAt, useValue: new RequestViews(resources.views) },
      { provide: ProjectionAdmin, useValue: new ProjectionAdmin(resources.pool, resources.wake, resources.unit) },
      { provide: Ledger, useValue: resources.seal.ledger },
      { provide: LogWitness, useValue: resources.seal.witness },
      { provide: WRITE_VISIBILITY, useValue: writeVisibility(resources.readYourWrites) },
      { provide: ReadYourWrites, useValue: resources.readYourWrites },
      { provide: BACKPRESSURE_GATE, useValue: resources.readYourWrites },
      { provide: BUDGET_METER, useValue: new BudgetMetrics(resources.metrics) },
      { provide: Metrics, useValue: resources.metrics },
      { provide: LimitMeter, useValue: resources.limitMeter },
      { provide: SignInMeter, useValue: new SignInMetrics(resources.metrics) },
    ];
    return {
      module: ResourcesModule,
      providers,
      exports: providers.map((provider) => ('provide' in provider ? provider.provide : provider)),
    };
  }
}
