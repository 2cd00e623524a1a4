import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Logger } from 'pino';
import { DeadLetters } from '../processes/notifications/dead-letters.ts';
import { isTransientDatabaseError } from '../persistence/transient-database-error.ts';
import type { Config } from '../config.ts';
import type { LoadedPackage } from '../projections/authoring/load-projections.ts';
import { accountTools } from '../processes/account-erasure/account-tools.ts';
import { hearCrashes } from './crashes.ts';
import { EmbeddedDatabase } from '../embedded-postgres/embedded-database.ts';
import { ensureFirstAccount } from './first-account.ts';
import { greeting } from './greeting.ts';
import { HealthParts } from '../telemetry/health/health-parts.ts';
import { createLogger } from '../telemetry/logging/logger.ts';
import { showSeal } from '../telemetry/metrics/seal-metrics.ts';
import { reportDeadLetters } from '../telemetry/metrics/dead-letter-metrics.ts';
import { migrate } from '../migrations/migrate.ts';
import { refuseUnfitDatabase } from '../persistence/outside-database.ts';
import { openParts, type Parts } from './parts.ts';
import { Runners } from './runners.ts';
import { loadTeams, teamModules } from './teams/teams.ts';
import { refuseTakenPort } from './taken-port.ts';

const TRIES = 3;

/** It was told to end before it was ready: no failure. */
export class EndedMeanwhile extends Error {}

/** The whole program as one thing that starts and stops. */
export class Service {
  private constructor(
    readonly config: Config,
    private readonly logger: Logger,
    private readonly database: EmbeddedDatabase | undefined,
    private readonly parts: Parts,
    private readonly runners: Runners,
    private readonly app: NestFastifyApplication,
  ) {}

  /** `told`: settles when it is to end; then it ends what it has begun, also in the middle of a long first fill. */
  static async start(config: Config, told: Promise<unknown>): Promise<Service> {
    await refuseTakenPort(config);
    if (config.databaseUrl !== undefined) await refuseUnfitDatabase(config.databaseUrl);
    const teams = await loadTeams(config);
    const logger = await createLogger(config);
    hearCrashes(teams, logger);
    for (let tries = 1; ; tries++)
      try {
        return await Service.begin(config, logger, teams, told);
      } catch (error) {
        if (config.databaseUrl === undefined || !isTransientDatabaseError(error) || tries === TRIES) throw error;
        logger.warn({ err: error }, 'the database went away while the service started; trying again');
        await refuseUnfitDatabase(config.databaseUrl);
      }
  }

  private static async begin(config: Config, logger: Logger, teams: readonly LoadedPackage[], told: Promise<unknown>): Promise<Service> {
    const begun: (() => Promise<void>)[] = [];
    try {
      // The framework loads while the database starts.
      const loading = Promise.all([import('../http/server/http-server.ts'), import('./app.module.ts')]);
      const database = config.databaseUrl === undefined ? await startDatabase(config, logger) : undefined;
      if (database !== undefined) begun.unshift(() => database.stop());
      const url = config.databaseUrl ?? database?.url ?? '';
      const done = await migrate(url);
      if (done.length > 0) logger.info({ migrations: done }, 'the database was brought to this version');
      const parts = await openParts(config, url, logger);
      begun.unshift(() => parts.close());
      const runners = new Runners(config, parts, teams);
      await runners.start();
      begun.unshift(() => runners.close());
      // What reads at its start, such as the checker, finds everything; a first fill over a long history may take a while.
      await Promise.race([runners.abreast(), told.then(endedMeanwhile)]);
      const [{ openHttpServer }, { AppModule }] = await loading;
      const app = await openHttpServer(AppModule.of(config, parts, teamModules(teams)), config, logger);
      begun.unshift(() => app.close());
      const service = new Service(config, logger, database, parts, runners, app);
      await service.ready();
      return service;
    } catch (error) {
      for (const end of begun) await end().catch(() => undefined);
      throw error;
    }
  }

  /** Ends what is under way, then everything from the top down. */
  async stop(reason: string): Promise<void> {
    this.logger.info({ reason }, 'the service is ending');
    this.app.get(HealthParts).drain();
    const { closeHttpServer } = await import('../http/server/http-server.ts');
    await closeHttpServer(this.app);
    await this.runners.close();
    await this.parts.close();
    await this.database?.stop();
  }

  private async ready(): Promise<void> {
    this.registerHealth();
    const first = await ensureFirstAccount(this.config, this.parts, accountTools(this.parts));
    await this.app.listen(this.config.port, this.config.host);
    const address = this.config.publicUrl ?? this.localAddress();
    this.logger.info({ address, docs: `${address}/docs` }, 'ready');
    if (first.made || process.stdout.isTTY) process.stdout.write(greeting(address, first));
  }

  /** As a program on this machine reaches it. */
  private localAddress(): string {
    const host = { '0.0.0.0': '127.0.0.1', '::': '::1' }[this.config.host] ?? this.config.host;
    return `http://${host.includes(':') ? `[${host}]` : host}:${String(this.port())}`;
  }

  private port(): number {
    const address = this.app.getHttpServer().address();
    return typeof address === 'object' && address !== null ? address.port : this.config.port;
  }

  private registerHealth(): void {
    const health = this.app.get(HealthParts);
    const { pool, store, engine, readYourWrites, seal } = this.parts;
    health.register('database', async () => {
      await pool.query('SELECT 1');
    });
    health.register('events', () => store.ping());
    health.register('log', engine.check);
    health.register('reads', () => {
      readYourWrites.check();
    });
    showSeal(health, () => seal.store.standing());
    reportDeadLetters(health, () => new DeadLetters(pool).status());
  }
}

function endedMeanwhile(): never {
  throw new EndedMeanwhile();
}

async function startDatabase(config: Config, logger: Logger): Promise<EmbeddedDatabase> {
  return EmbeddedDatabase.start({
    dataDir: config.dataDir,
    say: (line) => {
      logger.info(line);
    },
    onLost: (reason) => {
      logger.fatal({ reason }, 'the database is lost');
      process.exit(1);
    },
  });
}
