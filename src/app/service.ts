import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Logger } from 'pino';
import { meterConsumers } from '../platform/consumers/consumer-metrics.ts';
import { ConsumerAdmin } from '../platform/consumers/consumer-admin.ts';
import { ConsumerStore } from '../platform/consumers/consumer-store.ts';
import { isTransientDatabaseError } from '../platform/postgres/transient-database-error.ts';
import type { Config } from '../platform/config/config.ts';
import { BackOff } from '../kernel/back-off.ts';
import { EmbeddedDatabase } from '../operations/embedded-postgres/embedded-database.ts';
import { ensureFirstAccount, type FirstAccount } from './first-account.ts';
import { HealthParts } from '../platform/telemetry/health/health-parts.ts';
import { createLogger, maskedText } from '../platform/telemetry/logging/logger.ts';
import { linkAt } from '../accounts/links.ts';
import { openConsole } from './open-console.ts';
import { showReplicas } from '../platform/telemetry/metrics/replica-metrics.ts';
import { showSeal } from '../proof/seal/seal-metrics.ts';
import { meterDeadLetters, reportDeadLetters } from '../alerts/dead-letter-metrics.ts';
import { pause } from '../kernel/abortable.ts';
import { Lifecycle } from '../kernel/lifecycle.ts';
import { migrate } from './migration-table.ts';
import { refuseUnfitDatabase } from '../platform/postgres/outside-database.ts';
import { refuseUnwritable } from '../platform/postgres/write-probe.ts';
import { ObservationHome } from '../platform/observations/observation-home.ts';
import { type Parts, partsOf } from './parts.ts';
import { openResources } from './resources.ts';
import { longRunningParts } from './long-running-parts.ts';
import { type Companion, loadCompanions } from './companions.ts';
import { SubscriptionStore } from '../streams/subscriptions/subscription-store.ts';
import { meterSubscriptions } from '../streams/subscriptions/subscription-metrics.ts';
import { refuseTakenPorts } from '../platform/http/taken-port.ts';

/** A database that answers slowly, or restarts, while the service starts. */
const START_TIMEOUT_MS = 120_000;

/** A termination signal arrived before the service was ready; not a failure. */
export class StartInterrupted extends Error {}

/** The whole program as one thing that starts and stops. */
export class Service {
  private constructor(
    private readonly config: Config,
    private readonly logger: Logger,
    private readonly parts: Parts,
    private readonly lifecycle: Lifecycle,
    private readonly app: NestFastifyApplication,
    private readonly home: ObservationHome,
  ) {}

  /** `terminated` resolves at a termination signal: the start then closes what it has opened, also during a long first fill of the read models. */
  static async start(config: Config, terminated: Promise<unknown>): Promise<Service> {
    await refuseTakenPorts(config);
    if (config.databaseUrl !== undefined) await refuseUnfitDatabase(config.databaseUrl);
    const logger = await createLogger(config);
    handleUncaughtErrors(logger);
    const companions = await loadCompanions(config, logger);
    for (const each of companions) await each.refuseUnfit(config);
    const deadline = performance.now() + START_TIMEOUT_MS;
    const backOff = new BackOff(250, 5_000);
    for (;;)
      try {
        return await Service.open(config, logger, companions, terminated);
      } catch (error) {
        if (!isTransientDatabaseError(error) || performance.now() > deadline) throw error;
        logger.warn({ err: error }, 'database lost during the start; retrying');
        await Promise.race([backOff.wait(), terminated.then(throwInterrupted)]);
        if (config.databaseUrl !== undefined) await refuseUnfitDatabase(config.databaseUrl);
      }
  }

  private static async open(
    config: Config,
    logger: Logger,
    companions: readonly Companion[],
    terminated: Promise<unknown>,
  ): Promise<Service> {
    const lifecycle = new Lifecycle();
    let app: NestFastifyApplication | undefined;
    try {
      // Imported while the database starts.
      const loading = Promise.all([import('./http-server.ts'), import('./app.module.ts'), import('./checker-runtime.ts')]);
      const url = config.databaseUrl ?? (await startDatabase(config, logger, lifecycle));
      const migrations = await migrate(url);
      if (migrations.length > 0) logger.info({ migrations }, 'database migrated');
      const resources = await openResources(config, url, logger, true);
      lifecycle.add({ name: 'database connections', start: () => undefined, close: () => resources.close() });
      const routes = config.roles.includes('api') ? companions.map((each) => each.routes(resources)) : [];
      const [{ openHttpServer, startHttpServer }, { AppModule }, { CheckerRuntime }] = await loading;
      const root = AppModule.forRoot(
        config,
        resources,
        lifecycle,
        routes.flatMap(({ modules }) => modules),
      );
      app = await openHttpServer(root, config, logger, resources.tracer);
      const parts = partsOf(resources, app);
      meterStores(parts);
      const home = new ObservationHome({ ...parts, url: config.observationsUrl, installation: parts.seal.origin });
      lifecycle.add(
        home,
        ...companions.flatMap((each) => each.guards(parts)),
        ...longRunningParts(config, parts, companions),
        ...routes.map(({ serving }) => serving),
        ...(config.roles.includes('checker') ? [app.get(CheckerRuntime)] : []),
      );
      // The checker needs complete read models; a first fill over a long history may take minutes.
      await Promise.race([startHttpServer(app, config), terminated.then(throwInterrupted)]);
      const service = new Service(config, logger, parts, lifecycle, app, home);
      await service.listen();
      for (const each of companions) each.address = service.localAddress();
      return service;
    } catch (error) {
      await app?.close().catch(() => undefined);
      await lifecycle.close().catch(() => undefined);
      throw error;
    }
  }

  /** Not ready any more, but serving: a load balancer that asks for the readiness sends further requests to other instances. */
  async drain(cutShort: AbortSignal): Promise<void> {
    const { drainSeconds: seconds } = this.config;
    if (seconds > 0) this.logger.info({ seconds }, 'service draining');
    this.app.get(HealthParts).stop();
    await pause(seconds * 1000, cutShort);
  }

  /** Closes everything; Nest's shutdown hooks drive the lifecycle (app.module.ts). */
  async stop(reason: string): Promise<void> {
    this.logger.info({ reason }, 'service stopping');
    this.parts.connectionWatch.stopping();
    const { closeHttpServer } = await import('./http-server.ts');
    try {
      await closeHttpServer(this.app);
    } finally {
      // Also when a hook of Nest failed.
      await this.lifecycle.close();
    }
  }

  /** For an end that takes too long. */
  reportPending(seconds: number): void {
    const pending = [...(this.lifecycle.isClosing ? [] : ['requests']), ...this.lifecycle.pending];
    this.logger.error({ pending, seconds }, 'the service did not stop in time; these parts had not ended');
  }

  private async listen(): Promise<void> {
    this.registerHealth();
    const first = this.isWitness ? null : await ensureFirstAccount(this.config, this.parts);
    await this.app.listen(this.config.port, this.config.host);
    const address = this.config.publicUrl ?? this.localAddress();
    this.logger.info({ address, docs: `${address}/docs` }, 'ready');
    if (first !== null && (first.made || first.link !== null || process.stdout.isTTY)) process.stdout.write(greeting(address, first));
    // A person who tries the program on a desktop gets the console at once.
    if (first?.link != null && process.stdout.isTTY && this.config.databaseUrl === undefined)
      await openConsole(linkAt(address, 'sign-in', first.link), process.platform, process.env).catch(() => undefined);
  }

  /** The address for programs on this machine. */
  private localAddress(): string {
    const host = { '0.0.0.0': '127.0.0.1', '::': '::1' }[this.config.host] ?? this.config.host;
    return `http://${host.includes(':') ? `[${host}]` : host}:${String(this.port())}`;
  }

  private port(): number {
    const address = this.app.getHttpServer().address();
    return typeof address === 'object' && address !== null ? address.port : this.config.port;
  }

  /** Without accounts and read models. */
  private get isWitness(): boolean {
    return this.config.roles.includes('witness');
  }

  private registerHealth(): void {
    const health = this.app.get(HealthParts);
    const { viewPool, store, engine, readYourWrites, seal, master, rotating, writeHealth, get } = this.parts;
    health.register('database', () => refuseUnwritable(viewPool));
    if (this.config.observationsUrl !== undefined) health.register('observations', () => this.home.check());
    health.register('events', () => store.ping());
    health.register('writes', () => writeHealth.check());
    health.register('log', engine.check);
    health.register('keys', () =>
      Promise.all([master.check(), ...(this.config.roles.includes('api') ? [rotating.jwt.check()] : [])]).then(() => undefined),
    );
    if (!this.isWitness)
      health.register('reads', () => {
        readYourWrites.check();
      });
    if (this.parts.replicas !== null) showReplicas(health, this.parts.replicas);
    showSeal(health, () => seal.store.status());
    reportDeadLetters(health, () => get(ConsumerStore).deadLetters());
  }
}

function meterStores({ metrics, log, get }: Parts): void {
  meterConsumers(metrics.registry, () => get(ConsumerAdmin).list());
  meterDeadLetters(metrics.registry, () => get(ConsumerStore).deadLetters());
  meterSubscriptions(metrics.registry, { totals: () => get(SubscriptionStore).totals(), head: () => log.head() });
}

function throwInterrupted(): never {
  throw new StartInterrupted();
}

/** Answers the address of the embedded database. */
async function startDatabase(config: Config, logger: Logger, lifecycle: Lifecycle): Promise<string> {
  const database = await EmbeddedDatabase.start({
    dataDir: config.dataDir,
    say: (line) => {
      logger.info(line);
    },
    onLost: (reason) => {
      logger.fatal({ reason }, 'embedded database lost; exiting');
      process.exit(1);
    },
  });
  lifecycle.add({ name: 'embedded Postgres', start: () => undefined, close: () => database.stop() });
  return database.url;
}

/** Handles uncaught exceptions and unhandled rejections: they end the process, whose state is unknown then. Code of teams runs in processes of its own. */
function handleUncaughtErrors(logger: Logger): void {
  const handle = (error: unknown, origin: string): void => {
    const err = error instanceof Error ? error : new Error(`thrown without an error: ${String(error)}`);
    if (logger.isLevelEnabled('fatal')) logger.fatal({ err, origin }, 'uncaught error; exiting');
    else process.stderr.write(`watchledger: uncaught error; exiting: ${maskedText(err.stack ?? err.message)}\n`);
    process.exit(1);
  };
  process.on('uncaughtException', (error: unknown, origin) => {
    handle(error, origin);
  });
  process.on('unhandledRejection', (reason) => {
    handle(reason, 'unhandledRejection');
  });
}

/** Printed at the first start, and while its link is unused, to the console and not to the log, which must contain neither a password nor the link. */
function greeting(address: string, { email, password, made, link }: FirstAccount): string {
  const signIn = link === null ? [] : ['Sign in to the console (once, within 24 hours):', `  ${linkAt(address, 'sign-in', link)}`];
  const lines = [...signIn, `Watchledger is ready on ${address}`, `  docs      ${address}/docs`, `  account   ${email}`];
  if (made) lines.push(password === null ? '  password  as set in ADMIN_PASSWORD' : `  password  ${password}   (shown only this once)`);
  if (password !== null) lines.push('A first request:', `  ${firstRequest(address, email, password)}`);
  return `${lines.join('\n')}\n`;
}

/** A shell command that signs in and lists the projects. */
function firstRequest(address: string, email: string, password: string): string {
  const credentials = JSON.stringify({ email, password }).replaceAll("'", String.raw`'\''`);
  const signIn = `curl -s ${address}/api/authenticate -H 'Content-Type: application/json' -d '${credentials}'`;
  return `curl -s ${address}/api/projects -H "Authorization: Bearer $(${signIn})"`;
}
