import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ADMIN, RetryingClient } from './retrying-client.ts';
import { AcknowledgedWrites } from './acknowledged-writes.ts';
import { ServiceInstance, type FaultOrders } from './service-instance.ts';
import { ClientPace } from './client-pace.ts';
import { closeEnvironment, type Engine, type FaultEnvironment, openEnvironment } from './environment.ts';
import { TEAM } from './team-projections.ts';

/** The service on what it stands on, and a count of what died. */
export class FaultWorld {
  /** How often each died, by SIGKILL. */
  readonly deaths = { service: 0, postgres: 0, events: 0 };
  /** Deaths of the service by its own orders, and those whose moment did not come. */
  atTheMoment = 0;
  missed = 0;
  /** Days that wait to be closed, or are. */
  readonly closed: { readonly projectId: string; readonly day: string }[] = [];
  /** Told before something dies and after it is there again: what is on its way meanwhile may come once more. */
  onCrash: { readonly begins: () => void; readonly over: () => void } = { begins: () => undefined, over: () => undefined };

  private constructor(
    readonly around: FaultEnvironment,
    readonly env: Readonly<Record<string, string>> & { readonly MASTER_KEY: string },
    public service: ServiceInstance,
    readonly pace: ClientPace,
  ) {}

  static async open(engine: Engine, pace = new ClientPace()): Promise<FaultWorld> {
    const around = await openEnvironment(engine);
    const server = around.double ?? around.node;
    const env = {
      DATABASE_URL: around.url,
      MASTER_KEY: randomBytes(32).toString('hex'),
      ADMIN_EMAIL: ADMIN.email,
      ADMIN_PASSWORD: ADMIN.password,
      ALLOW_TARGETS: '127.0.0.0/8',
      REGISTRATION: 'open',
      RATE_LIMIT: '0',
      LOG_LEVEL: 'info',
      PROJECTIONS: TEAM,
      CHECKPOINT_URL: `${around.witness.url}/checkpoint`,
      ...(server && { EVENTSTORE_URL: server.url }),
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

  /** A death of the service: by us now, or by orders that it has. */
  async killed(death: () => Promise<void> = () => this.service.end()): Promise<void> {
    this.onCrash.begins();
    await death();
    this.deaths.service++;
  }

  /** As it was told, or by us when the moment did not come. */
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
    // Before it is ready: others may have to kill what it waits for.
    this.service = service;
    await service.ready();
    this.took(service);
  }

  /** An instance that is ready stands in the place of the one that died. */
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

  /** Who signs in as the first account. */
  admin(): RetryingClient {
    return new RetryingClient(() => this.service.address, new AcknowledgedWrites());
  }

  async killPostgres(): Promise<void> {
    this.onCrash.begins();
    await this.around.postgres.die();
    this.deaths.postgres++;
    this.onCrash.over();
  }

  /** The server of events, whichever it is. */
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

  /** Every checkpoint that the witness was told of. */
  get notes(): readonly string[] {
    return this.around.witness.received.map(({ body }) => body);
  }

  /** Whoever stops the test is left with nothing of it. */
  private readonly stopped = (): void => void this.close().finally(() => process.exit(1));

  async close(): Promise<void> {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, this.stopped);
    await this.service.end();
    await closeEnvironment(this.around);
  }
}
