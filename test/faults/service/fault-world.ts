import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { ADMIN, RetryingClient } from './retrying-client.ts';
import { AcknowledgedWrites } from './acknowledged-writes.ts';
import { ServiceInstance, type FaultOrders } from './service-instance.ts';
import { ClientPace } from './client-pace.ts';
import type { CrashablePostgres } from './crashable-postgres.ts';
import { closeEnvironment, DATABASE, type Databases, type Engine, type FaultEnvironment, openEnvironment } from './environment.ts';
import { ACTING_TEAM } from './team-projections.ts';

/** The service in its environment, with a count of what was killed. */
export class FaultWorld {
  /** How often each was killed. */
  readonly deaths = { service: 0, postgres: 0, observations: 0, replica: 0, events: 0, team: 0 };
  /** Kills at a chosen statement, and those whose statement never came. */
  atTheMoment = 0;
  missed = 0;
  /** Days that wait to be closed, or are. */
  readonly closed: { readonly projectId: string; readonly day: string }[] = [];
  /** Called before a kill and after recovery: messages in progress in between may be delivered twice. */
  onCrash: { readonly begins: () => void; readonly over: () => void } = { begins: () => undefined, over: () => undefined };

  private constructor(
    readonly around: FaultEnvironment,
    readonly env: Readonly<Record<string, string>> & { readonly MASTER_KEY: string; readonly TEAM_ORDERS_FILE: string },
    public service: ServiceInstance,
    readonly pace: ClientPace,
  ) {}

  static async open(engine: Engine, databases: Databases, pace = new ClientPace()): Promise<FaultWorld> {
    const around = await openEnvironment(engine, databases);
    const server = around.double ?? around.node;
    const env = {
      DATABASE_URL: around.url,
      MASTER_KEY: randomBytes(32).toString('hex'),
      ADMIN_EMAIL: ADMIN.email,
      ADMIN_PASSWORD: ADMIN.password,
      ALLOW_TARGETS: '127.0.0.0/8',
      ALLOW_HOOKS: '127.0.0.0/8',
      REGISTRATION: 'open',
      REGISTRATION_LIMIT: '0',
      RATE_LIMIT: '0',
      LOG_LEVEL: 'info',
      PROJECTIONS: ACTING_TEAM,
      TEAM_ENV: 'TEAM_ORDERS_FILE,EFFECTS_URL,OUTSIDE_DATABASE',
      ...around.reacted.env,
      TEAM_ORDERS_FILE: join(around.folder, 'team-orders'),
      CHECKPOINT_URL: `${around.witness.url}/checkpoint`,
      ...(server && { EVENTSTORE_URL: server.url }),
      ...(around.observations && { OBSERVATIONS_URL: around.observations.url }),
      ...(around.replica && { READ_URL: around.replica.url(DATABASE) }),
    };
    const world = new FaultWorld(around, env, new ServiceInstance(around.folder, env), pace);
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, world.stopped);
    try {
      await world.service.ready();
    } catch (error) {
      await world.close();
      throw error;
    }
    return world;
  }

  launch(orders?: FaultOrders): ServiceInstance {
    return new ServiceInstance(this.around.folder, this.env, orders);
  }

  /** Kills the service now, or waits for its ordered crash. */
  async killed(death: () => Promise<void> = () => this.service.end()): Promise<void> {
    this.onCrash.begins();
    await death();
    this.deaths.service++;
  }

  /** Crashes as ordered, or is killed when the statement did not come in time. */
  async dieAsOrdered(withinMs: number): Promise<void> {
    if (await this.service.dies(withinMs)) this.atTheMoment++;
    else {
      this.missed++;
      await this.service.end();
    }
  }

  /** A new instance in the place of the one that died. */
  async restart(): Promise<void> {
    const service = this.launch();
    // Set before it is ready, so that its dependencies can be killed during the start.
    this.service = service;
    await service.ready();
    this.took(service);
  }

  /** A ready instance replaces the killed one. */
  took(service: ServiceInstance): void {
    this.service = service;
    this.onCrash.over();
  }

  async startAndKill(afterMs: number): Promise<void> {
    this.service = this.launch();
    await sleep(afterMs);
    await this.killed();
  }

  async startAndDie(dieAt: Required<FaultOrders>['dieAt'], withinMs: number): Promise<void> {
    this.service = this.launch({ dieAt });
    await this.killed(() => this.dieAsOrdered(withinMs));
  }

  /** A client of the first account. */
  admin(): RetryingClient {
    return new RetryingClient(() => this.service.address, new AcknowledgedWrites());
  }

  async killPostgres(): Promise<void> {
    this.onCrash.begins();
    await this.around.postgres.die();
    this.deaths.postgres++;
    this.onCrash.over();
  }

  async killObservations(): Promise<void> {
    this.onCrash.begins();
    await this.around.observations?.postgres.die();
    this.deaths.observations++;
    this.onCrash.over();
  }

  /** A message in progress may be repeated, because its delivery could not be noted. */
  async silence(postgres: CrashablePostgres | undefined, milliseconds: number): Promise<void> {
    this.onCrash.begins();
    await postgres?.silence(milliseconds);
    this.onCrash.over();
  }

  /** Of the database with the observations. */
  get observationPool(): pg.Pool {
    return (this.around.observations ?? this.around).pool;
  }

  /** Kills the event store, the double or the real server. */
  async killEvents(awayMs: number): Promise<void> {
    this.onCrash.begins();
    const { double, node } = this.around;
    await double?.kill();
    await sleep(awayMs);
    await double?.revive();
    await node?.die();
    this.deaths.events++;
    this.onCrash.over();
  }

  /** Every checkpoint that the witness received. */
  get notes(): readonly string[] {
    return this.around.witness.received.map(({ body }) => body).filter((note) => note !== '');
  }

  /** Cleans up when the test is interrupted. */
  private readonly stopped = (): void => void this.close().finally(() => process.exit(1));

  async close(): Promise<void> {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, this.stopped);
    await this.service.end();
    await closeEnvironment(this.around);
  }
}
