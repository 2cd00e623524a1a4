import type pg from 'pg';
import type { Logger } from 'pino';
import { BatchedLookup } from '../platform/postgres/batched-lookup.ts';
import type { Claims } from '../platform/postgres/claims.ts';
import { PostgresClaims } from '../platform/postgres/postgres-claims.ts';
import { SsrfGuard } from '../platform/security/ssrf-guard/ssrf-guard.ts';
import { openPageBodies } from '../platform/observations/pages/open-page-bodies.ts';
import type { PageBodies } from '../platform/observations/pages/page-bodies.ts';
import type { ObservationPool } from '../platform/observations/schemas.ts';
import { MailOutbox } from '../platform/mail/mail-outbox.ts';
import type { Mailer } from '../platform/mail/mailer.ts';
import { mailerOf } from '../platform/mail/smtp-mailer.ts';
import type { Keyring } from '../platform/security/keyring/keyring.ts';
import { loadMasterKeys } from '../platform/security/keyring/master-key.ts';
import { MasterKeys } from '../platform/security/keyring/master-keys.ts';
import { PostgresKeyring } from '../platform/security/keyring/postgres-keyring.ts';
import { PostgresSecrets, type RotatingSecrets, type Secrets } from '../platform/security/keyring/secrets.ts';
import { PostgresLeases } from '../platform/postgres/postgres-leases.ts';
import type { ConnectionWatch } from '../platform/postgres/connection-watch.ts';
import { openPool } from '../platform/postgres/pool.ts';
import type { ReadReplicas } from '../platform/postgres/read-replicas/read-replicas.ts';
import { replicaPool, routedPool } from '../platform/postgres/read-replicas/routed-pool.ts';
import { PostgresWake } from '../platform/postgres/wake-postgres.ts';
import type { Wake } from '../platform/postgres/wake.ts';
import { CommandRunner } from '../platform/commands/command-runner.ts';
import { PostgresStreamSnapshots } from '../platform/commands/snapshots/postgres-stream-snapshots.ts';
import type { Config } from '../platform/config/config.ts';
import type { EventStore } from '../platform/event-store/event-store.ts';
import { steadyClock, systemClock } from '../kernel/clock.ts';
import type { Limit, LimitMeter } from '../kernel/limits.ts';
import type { Tracer } from '../kernel/tracer.ts';
import type { Log } from '../platform/log/log.ts';
import { PostgresLog } from '../platform/log/postgres-log.ts';
import type { ViewsAt } from '../platform/read-models/views/views.ts';
import { ReplicatedViews } from '../platform/read-models/views/replicated-views.ts';
import { UnitViews } from '../platform/read-models/views/unit-views.ts';
import { type ViewUnit, viewUnit } from '../platform/read-models/views/unit.ts';
import { ReadYourWrites } from '../platform/read-models/engine/read-your-writes.ts';
import { coreViews } from './projection-table.ts';
import { type Engine, openEngine } from '../platform/event-store/engine.ts';
import { Outages } from '../platform/telemetry/health/outages.ts';
import { WriteHealth } from '../platform/telemetry/health/write-health.ts';
import { MeteredEventStore } from '../platform/telemetry/metrics/metered-event-store.ts';
import { meterDatabase, meterObservations } from '../platform/telemetry/metrics/database-metrics.ts';
import { LimitMetrics, Metrics } from '../platform/telemetry/metrics/metrics.ts';
import { meterProjections, projectionStandings } from '../platform/telemetry/metrics/projection-metrics.ts';
import { programVersion } from '../platform/config/program.ts';
import { meterSeal } from '../proof/seal/seal-metrics.ts';
import { refuseOtherEngine } from '../platform/log/engine-of-log.ts';
import { openSeal, type Seal } from '../proof/sealing.ts';
import { openTracing, untraced } from '../platform/telemetry/tracing.ts';
import { connectionWatches } from '../platform/postgres/watch-connections.ts';
import { openObservationPools } from '../platform/observations/observation-pools.ts';
import { openReplicas } from '../platform/postgres/replicas.ts';
import { newVapidKeys } from '../alerts/channels/web-push.channel.ts';
import { RotatingSecret } from '../platform/security/keyring/rotating-secret.ts';
import { folds } from './folds.ts';

/** What is opened before the container is made and closed after it: connections, and what stands on them alone. */
export interface Resources {
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly limitMeter: LimitMeter;
  readonly tracer: Tracer;
  readonly databaseUrl: string;
  readonly connectionWatch: ConnectionWatch;
  readonly pool: pg.Pool;
  /** The same, but for statements that a replica may answer. */
  readonly readPool: pg.Pool;
  readonly replicas: ReadReplicas | null;
  /** For the checker, so that no request waits behind what it reads and writes. */
  readonly checkerPool: pg.Pool;
  /** `readPool` and `checkerPool`, unless observations have a database of their own. */
  readonly observationPool: ObservationPool;
  readonly checkerObservationPool: ObservationPool;
  /** Null when the bodies of kept pages are in the database. */
  readonly pageBodies: PageBodies | null;
  /** For the read models, how far they are behind, and the health route: none of them waits behind requests or checks. */
  readonly viewPool: pg.Pool;
  readonly wake: Wake;
  readonly leases: PostgresLeases;
  readonly claims: Claims;
  readonly keyring: Keyring;
  readonly mailer: Mailer;
  readonly mails: MailOutbox;
  readonly secrets: Secrets;
  readonly rotating: RotatingSecrets;
  readonly master: MasterKeys;
  /** Guards requests to everything that is watched. */
  readonly guard: SsrfGuard;
  /** Guards requests to the addresses that users give for their messages. */
  readonly hookGuard: SsrfGuard;
  readonly engine: Engine;
  readonly store: EventStore;
  readonly outages: Outages;
  readonly writeHealth: WriteHealth;
  /** The one command runner of the process. */
  readonly runner: CommandRunner;
  readonly snapshots: PostgresStreamSnapshots;
  readonly log: Log;
  readonly unit: ViewUnit;
  readonly views: ViewsAt;
  readonly readYourWrites: ReadYourWrites;
  readonly seal: Seal;
  close(): Promise<void>;
}

export async function openResources(config: Config, databaseUrl: string, logger: Logger, isService = false): Promise<Resources> {
  const onError = (error: Error): void => {
    logger.warn({ err: error }, 'database connection lost');
  };
  const metrics = new Metrics();
  const telemetry = isService ? await openTracing(config.otlp, metrics.registry, logger) : untraced;
  const { tracer } = telemetry;
  const watchOf = connectionWatches(config, logger, metrics);
  const watch = watchOf(databaseUrl);
  const pool = openPool(databaseUrl, { name: 'api', max: 12, watch, onError });
  // With synchronous commits: reads must not go back in time after a crash of the database (docs/decisions/projections.md).
  const viewPool = openPool(databaseUrl, { name: 'views', max: 5, hasLongStatements: true, watch, onError });
  const checkerPool = openPool(databaseUrl, { name: 'checker', max: 5, watch, onError });
  const unit = viewUnit('core', coreViews);
  const readPool = config.readUrls.length === 0 ? pool : routedPool(pool);
  const observations = openObservationPools(config, { api: readPool, checker: checkerPool }, { watchOf, onError });
  const wake = new PostgresWake(databaseUrl, watch);
  const leases = new PostgresLeases(databaseUrl, wake, {}, watch);
  const master = new MasterKeys(pool, () => loadMasterKeys(config));
  const log = new PostgresLog(readPool, wake);
  const outages = new Outages(metrics, logger);
  const engine = await openEngine({ config, databaseUrl, connectionWatch: watch, pool, wake, leases, logger, outages });
  const readYourWrites = new ReadYourWrites({ schema: unit.schema, db: viewPool, log, wake, clock: systemClock, sourceLag: engine.lag });
  const mailer = mailerOf(config.smtpUrl, config.mailFrom);
  const secrets = new PostgresSecrets(pool, master);
  const mails = new MailOutbox({ pool, secrets, mailer, report: (reason) => logger.warn({ reason }, 'mail could not be sent') });
  const close = async (): Promise<void> => {
    await mails.close();
    mailer.close();
    await engine.close();
    await leases.close();
    await wake.close();
    await observations.close();
    await replicas?.close();
    await Promise.all([pool, checkerPool, viewPool].map((one) => one.end()));
    await watch.close();
    await telemetry.close();
  };
  // The first query of the start: when it fails, no background work may continue.
  const opening = refuseOtherEngine(pool, engine.name)
    .then(() => engine.open())
    .then(() => master.open())
    // A command sends all its reads to one server, so the seal may read a replica; in the service, reads of several servers share what it knows of the seal.
    .then(() => openSeal({ config, pool: isService ? pool : readPool, log, wake, master, secrets }));
  let replicas: ReadReplicas | null = null;
  const closeAndRethrow = async (error: unknown): Promise<never> => {
    await close();
    throw error;
  };
  const seal = await opening.catch(closeAndRethrow);
  const onPosition = (position: number): void => {
    readYourWrites.advance(position);
  };
  replicas = await openReplicas(config, { primary: viewPool, schema: unit.schema, onPosition, metrics, logger }).catch(closeAndRethrow);
  const pools = { api: pool, checker: checkerPool, views: viewPool, ...observations.own };
  for (const [name, metered] of Object.entries(pools)) metrics.pool(name, metered);
  meterSeal(
    metrics,
    () => seal.store.status(),
    config.checkpointUrl !== undefined,
    () => seal.guard.unkept !== null,
  );
  meterLog(metrics, { pool, observationPool: observations.api, log });
  // A witness has no read models, which would only seem to fall behind.
  if (!config.roles.includes('witness')) meterReadModels(metrics, { pool, unit, readYourWrites });
  const writeHealth = new WriteHealth(engine.probeWrite);
  const store = new MeteredEventStore(engine.store, metrics, writeHealth, outages, tracer);
  // An append to the log in this database makes durable whatever was committed there before it.
  const flush = engine.name !== 'postgres';
  const snapshots = new PostgresStreamSnapshots(pool, store, folds, (error) =>
    logger.warn({ err: error }, 'a snapshot of a stream was not written'),
  );
  const ends = new BatchedLookup((streams) => store.ends(streams));
  const dependencies = {
    pool,
    claims: new PostgresClaims(pool, flush),
    keyring: new PostgresKeyring(pool, master, steadyClock, flush),
    mailer,
    mails,
    secrets,
    rotating: rotatingSecrets(config, pool, master),
    master,
    runner: new CommandRunner(store, { snapshots, tracer, endOf: (stream) => ends.load(stream) }),
    snapshots,
    limitMeter: new LimitMetrics(metrics),
  };
  metrics.about(programVersion(), engine.name);
  const guardOf = (allowed: readonly string[], limit: Limit): SsrfGuard =>
    new SsrfGuard({
      allowed,
      denied: config.denyTargets,
      onRefused: ({ isFirst, ...refused }) => {
        dependencies.limitMeter.refused(limit);
        if (isFirst) logger.info({ ...refused }, 'connection refused: not a public address');
      },
    });
  return {
    logger,
    metrics,
    tracer,
    databaseUrl,
    connectionWatch: watch,
    ...dependencies,
    readPool,
    replicas,
    checkerPool,
    observationPool: observations.api,
    checkerObservationPool: observations.checker,
    pageBodies: openPageBodies(config.pagePlace),
    viewPool,
    wake,
    leases,
    guard: guardOf(config.allowTargets, 'targets'),
    hookGuard: guardOf(config.allowHooks, 'hooks'),
    engine,
    store,
    outages,
    writeHealth,
    log,
    unit,
    views: viewsOf(unit, log, pool, () => readYourWrites.position(), replicas),
    readYourWrites,
    seal,
    close: () => snapshots.close().then(close),
  };
}

function viewsOf(unit: ViewUnit, log: Log, pool: pg.Pool, position: () => number, replicas: ReadReplicas | null): ViewsAt {
  const primary = new UnitViews(unit, log, pool, position);
  if (replicas === null) return primary;
  const ofReplica = replicas.all.map((one) => [one, new UnitViews(unit, log, replicaPool(one, pool), () => one.position)] as const);
  return new ReplicatedViews(primary, new Map(ofReplica));
}

function meterReadModels(metrics: Metrics, { pool, unit, readYourWrites }: Pick<Resources, 'pool' | 'unit' | 'readYourWrites'>): void {
  const core = { name: unit.name, schema: unit.schema, position: () => readYourWrites.position(), lagSeconds: () => readYourWrites.lag() };
  meterProjections(metrics.registry, () => projectionStandings(pool, core));
}

function meterLog(metrics: Metrics, { pool, observationPool, log }: Pick<Resources, 'pool' | 'observationPool' | 'log'>): void {
  metrics.log(() => log.head());
  meterDatabase(metrics.registry, pool);
  meterObservations(metrics.registry, observationPool);
}

function rotatingSecrets(
  { jwtKey, jwtKeyPrevious }: Pick<Config, 'jwtKey' | 'jwtKeyPrevious'>,
  pool: pg.Pool,
  master: MasterKeys,
): RotatingSecrets {
  const given = [jwtKey, jwtKeyPrevious].filter((key) => key !== undefined);
  return {
    jwt: new RotatingSecret({ pool, master, name: 'jwt', given }),
    vapid: new RotatingSecret({ pool, master, name: 'vapid', generate: newVapidKeys }),
  };
}
