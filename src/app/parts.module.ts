import { type DynamicModule, Global, Module } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { Claims } from '../platform/postgres/claims.ts';
import { HOOK_GUARD, SsrfGuard } from '../platform/security/ssrf-guard/ssrf-guard.ts';
import { Keyring } from '../platform/security/keyring/keyring.ts';
import { LEASES } from '../platform/postgres/leases.ts';
import { Wake } from '../platform/postgres/wake.ts';
import { ROTATING_SECRETS, Secrets } from '../platform/security/keyring/secrets.ts';
import {
  CHECKER_DATABASE,
  CHECKER_OBSERVATION_DATABASE,
  DATABASE,
  OBSERVATION_DATABASE,
  READ_DATABASE,
} from '../platform/postgres/pool.ts';
import { READ_REPLICAS } from '../platform/http/reads/read-from-replicas.ts';
import { AccountChanges } from '../accounts/tokens/account-changes.ts';
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
import { Log } from '../platform/log/log.ts';
import { Lifecycle } from '../kernel/lifecycle.ts';
import { LimitMeter } from '../kernel/limits.ts';
import { TRACER } from '../kernel/tracer.ts';
import { ViewsAt } from '../platform/read-models/views/views.ts';
import { ProjectionAdmin } from '../platform/read-models/admin/projection-admin.ts';
import type { ReadYourWrites } from '../platform/read-models/engine/read-your-writes.ts';
import { Outages } from '../platform/telemetry/health/outages.ts';
import { LOGGER } from '../platform/telemetry/logging/logger.ts';
import { SUBSCRIPTION_METER } from '../streams/subscriptions/subscriptions.ts';
import { PAGE_BODIES } from '../platform/observations/pages/page-bodies.ts';
import { MailOutbox } from '../platform/mail/mail-outbox.ts';
import { MAILER } from '../platform/mail/mailer.ts';
import { AccessRecorder } from '../accounts/accesses/access-recorder.ts';
import { DOCTOR } from '../operations/doctor/finding.ts';
import { doctorOf } from '../operations/doctor/doctor.ts';
import type { Parts } from './parts.ts';
import { ReceiptRequests } from '../accounts/rights/request-right.ts';
import { SignedReceipts } from '../proof/receipts/receipt-requests.ts';
import { ErasureNotices } from '../accounts/erasure/account-erasure.ts';
import { ErasureNotice } from '../alerts/notices/erasure-notice.ts';

/** How long the answer to a write waits until reads show it (read-your-writes); then 503, and a retry with the same key waits again. */
const VISIBLE_TIMEOUT_MS = 5_000;

const writeVisibility = (readYourWrites: ReadYourWrites): WriteVisibility => ({
  gate: readYourWrites,
  waitFor: (place) => readYourWrites.waitUntilVisible([place], Date.now() + VISIBLE_TIMEOUT_MS),
});

/** Provides the parts that were wired before Nest started, for every other module. */
@Global()
@Module({})
export class PartsModule {
  static forRoot(config: Config, parts: Parts, lifecycle: Lifecycle): DynamicModule {
    const providers = [
      { provide: CONFIG, useValue: config },
      { provide: Lifecycle, useValue: lifecycle },
      { provide: LOGGER, useValue: parts.logger },
      { provide: TRACER, useValue: parts.tracer },
      { provide: DATABASE, useValue: parts.pool },
      { provide: READ_DATABASE, useValue: parts.readPool },
      { provide: READ_REPLICAS, useValue: parts.replicas },
      { provide: CHECKER_DATABASE, useValue: parts.checkerPool },
      { provide: OBSERVATION_DATABASE, useValue: parts.observationPool },
      { provide: CHECKER_OBSERVATION_DATABASE, useValue: parts.checkerObservationPool },
      { provide: PAGE_BODIES, useValue: parts.pageBodies },
      { provide: EVENT_STORE, useValue: parts.store },
      { provide: Outages, useValue: parts.outages },
      { provide: Log, useValue: parts.log },
      { provide: Wake, useValue: parts.wake },
      { provide: LEASES, useValue: parts.leases },
      { provide: Claims, useValue: parts.claims },
      { provide: Keyring, useValue: parts.keyring },
      { provide: Secrets, useValue: parts.secrets },
      { provide: MAILER, useValue: parts.mailer },
      { provide: MailOutbox, useValue: parts.mails },
      { provide: ErasureNotices, useValue: new ErasureNotice(parts.views, parts.keyring, parts.mails) },
      { provide: ROTATING_SECRETS, useValue: parts.rotating },
      { provide: Plans, useValue: parts.plans() },
      { provide: DOCTOR, useValue: doctorOf(config, parts.databaseUrl) },
      { provide: SsrfGuard, useValue: parts.guard },
      { provide: HOOK_GUARD, useValue: parts.hookGuard },
      { provide: ViewsAt, useValue: new RequestViews(parts.views) },
      { provide: ProjectionAdmin, useValue: new ProjectionAdmin(parts.pool, parts.wake, parts.unit) },
      { provide: AccessRecorder, useValue: parts.accesses },
      { provide: Ledger, useValue: parts.seal.ledger },
      { provide: ReceiptRequests, useValue: new SignedReceipts(parts.seal.ledger) },
      { provide: LogWitness, useValue: parts.seal.witness },
      { provide: WRITE_VISIBILITY, useValue: writeVisibility(parts.readYourWrites) },
      { provide: BACKPRESSURE_GATE, useValue: parts.readYourWrites },
      { provide: CommandBus, useValue: parts.commands },
      { provide: BUDGET_METER, useValue: new BudgetMetrics(parts.metrics) },
      { provide: SUBSCRIPTION_METER, useValue: parts.subscriptionMeter },
      { provide: LimitMeter, useValue: parts.limitMeter },
      { provide: SignInMeter, useValue: new SignInMetrics(parts.metrics) },
      { provide: AccountChanges, useValue: parts.accountChanges },
    ];
    return { module: PartsModule, providers, exports: providers.map(({ provide }) => provide) };
  }
}
