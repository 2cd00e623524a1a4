import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type pg from 'pg';
import { BACKPRESSURE_GATE, type MeasuredGate } from '../platform/commands/context.ts';
import { behindGate } from '../platform/commands/command-of.ts';
import { CONFIG, type Config } from '../platform/config/config.ts';
import { systemClock } from '../kernel/clock.ts';
import { TRACER, type Tracer } from '../kernel/tracer.ts';
import type { LongRunning } from '../kernel/lifecycle.ts';
import type { Log } from '../platform/log/log.ts';
import type { PageBodies } from '../platform/observations/pages/page-bodies.ts';
import { ExchangeStore } from '../platform/observations/exchanges/exchange-store.ts';
import { ObservationFences, reachObservations } from '../platform/observations/fences.ts';
import type { RunStore } from '../platform/observations/runs/run-store.ts';
import type { ObservationPool } from '../platform/observations/schemas.ts';
import type { SampleStore } from '../platform/observations/samples/sample-store.ts';
import type { Leases } from '../platform/postgres/leases.ts';
import { isTransientDatabaseError } from '../platform/postgres/transient-database-error.ts';
import type { Wake } from '../platform/postgres/wake.ts';
import { ViewsAt } from '../platform/read-models/views/views.ts';
import { ShardMaintenance } from '../watches/days/shard-maintenance.ts';
import type { Keyring } from '../platform/security/keyring/keyring.ts';
import type { SsrfGuard } from '../platform/security/ssrf-guard/ssrf-guard.ts';
import { Checker } from '../checker/checker.ts';
import { EvidenceKeeper } from '../checker/evidence/keep-evidence.ts';
import { CheckerLog } from '../checker/checker-log.ts';
import { CHECKER_METER, type CheckerMeter } from '../checker/checker-meter.ts';
import { openChecks } from '../checker/checks/open-checks.ts';
import { Judge } from '../checker/judging/judge.ts';
import { FlushFailures, type FlushKind } from '../checker/flush-failures.ts';
import { limitFigures, openLimits } from '../checker/limits.ts';
import { Prober } from '../checker/probe/prober.ts';
import { CheckerPresence } from '../checker/shards/checker-presence.ts';
import { StorageWatch } from '../checker/storage-watch.ts';
import { openWatches } from '../watches/turns/open-watches.ts';

export interface CheckerServices {
  readonly pool: pg.Pool;
  /** Observations may have a database of their own. */
  readonly observationPool: ObservationPool;
  /** For the maintenance of observations, so that no check waits behind it. */
  readonly maintenancePool: pg.Pool;
  /** Null when the bodies of kept pages are in the database. */
  readonly pageBodies: PageBodies | null;
  readonly leases: Leases;
  readonly wake: Wake;
  readonly log: Log;
  readonly runs: RunStore;
  readonly samples: SampleStore;
  readonly guard: SsrfGuard;
  readonly keyring: Keyring;
}

/** Injection token. */
export const CHECKER_SERVICES = Symbol('CheckerServices');

/** Composes the checker. */
@Injectable()
export class CheckerRuntime implements LongRunning {
  private readonly log = new CheckerLog();
  private readonly presence: CheckerPresence;
  private readonly checker: Checker;
  private readonly maintenance: ShardMaintenance;
  private readonly storage: StorageWatch;
  private closed: Promise<void> | undefined;

  constructor(
    @Inject(CONFIG) config: Config,
    @Inject(CHECKER_SERVICES) services: CheckerServices,
    viewsAt: ViewsAt,
    bus: CommandBus,
    @Inject(BACKPRESSURE_GATE) gate: MeasuredGate,
    @Inject(CHECKER_METER) meter: CheckerMeter,
    @Inject(TRACER) tracer: Tracer,
  ) {
    const { pool, leases, log, guard } = services;
    const report = (error: unknown, activity: string): void => {
      this.log.failed(error, activity);
    };
    const onInconclusive = (reason: string): void => {
      meter.inconclusive();
      this.log.inconclusive(reason);
    };
    this.presence = new CheckerPresence({
      pool,
      leases,
      clock: systemClock,
      locations: config.locations,
      storesApart: config.observationsUrl !== undefined,
      onMoved: (isMoved) => {
        this.log.moved(isMoved);
      },
      onClockError: (offMs) => {
        this.log.clock(offMs);
      },
    });
    const flushes = new FlushFailures(report);
    this.storage = new StorageWatch({
      ping: () => reachObservations(services.observationPool),
      isOutage: isTransientDatabaseError,
      onChanged: (isAway) => {
        this.log.storage(isAway);
      },
    });
    const views = viewsAt.now();
    this.checker = new Checker({
      fences: new ObservationFences(services.observationPool),
      views,
      log,
      leases,
      report,
      gate,
      clock: systemClock,
      locations: config.locations,
      countPeers: () => this.presence.countPeers(),
      leavePeers: () => this.presence.leave(),
      isSuspended: () => this.storage.isAway,
      onTurn: ({ kind }, lateMs) => {
        meter.turnStarted(kind, lateMs);
        this.log.started(kind, lateMs);
      },
    });
    const limits = openLimits(config);
    const prober = new Prober({ guard, largeBodies: limits.largeBodies });
    // Read models that are too far behind would fall back further with every observation.
    const commands = behindGate(bus, gate);
    const shared = {
      ...services,
      pool: services.observationPool,
      evidence: new EvidenceKeeper(new ExchangeStore(services.observationPool, services.pageBodies), (error) => {
        report(error, 'keeping evidence');
      }),
      limits,
      checker: this.checker,
      views,
      commands,
      prober,
      judge: new Judge(),
      onInconclusive,
      onFlushed: (kind: FlushKind, error: unknown) => {
        flushes.onFlushed(kind, error);
        this.storage.flushed(error);
      },
      report,
      tracer,
      clock: systemClock,
    };
    const watches = openWatches(shared);
    const checks = openChecks({
      ...shared,
      fetchLimit: limits.fetches,
      onRunEnded: (outcome) => {
        meter.runEnded(outcome);
      },
      onAccepted: watches.observeCertificate,
    });
    this.checker.use(watches).use(checks);
    meter.observe(() => {
      const { queues, largestShares } = limitFigures(limits);
      const admission = this.checker.admissionFigures;
      return {
        ...flushes.figures,
        ...this.checker.figures,
        ...this.presence.clockFigures,
        largestShares,
        isOverloaded: admission.isOverloaded,
        queues: { ...admission.queues, ...queues, ...checks.queues() },
      };
    });
    this.maintenance = new ShardMaintenance({
      pool: services.maintenancePool,
      commands: bus,
      report,
      owned: () => this.checker.ownedShards,
      onClosed: (books) => {
        this.log.closed(books);
      },
    });
  }

  async start(): Promise<void> {
    await this.checker.start();
    this.maintenance.start();
  }

  /** No request depends on a run, so the checker closes while the last requests are still answered. */
  drain(): Promise<void> {
    return this.close();
  }

  close(): Promise<void> {
    return (this.closed ??= Promise.all([this.checker.close(), this.maintenance.close(), this.storage.close()]).then(() => undefined));
  }
}
