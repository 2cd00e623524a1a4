import type { LogSearcher } from '../../src/platform/log/search.ts';
import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { CommandRunner } from '../../src/platform/commands/command-runner.ts';
import { systemContext } from '../../src/platform/commands/context.ts';
import { PauseDestination, PauseDestinationHandler } from '../../src/streams/destinations/destination.commands.ts';
import { guardedPost } from '../../src/alerts/channels/post.ts';
import { DestinationPusher } from '../../src/streams/destinations/destination-pusher.ts';
import { PushStore } from '../../src/streams/destinations/push-store.ts';
import type { Events, EventType } from '../../src/events.ts';
import { projectStream } from '../../src/kernel/stream-names.ts';
import { cloudEventOf } from '../../src/history/feed/cloud-event.ts';
import { NamesReader } from '../../src/history/names-reader.ts';
import { presentEvents } from '../../src/history/present-events.ts';
import { LocalWake } from '../../src/platform/postgres/wake.ts';
import { SsrfGuard } from '../../src/platform/security/ssrf-guard/ssrf-guard.ts';
import { samples } from '../samples/samples.ts';
import { MemoryEventStore } from './memory/memory-event-store.ts';
import { MemoryKeyring } from './memory/memory-keyring.ts';
import { MemoryLog } from './memory/memory-log.ts';
import { MemoryViews } from './memory-views.ts';
import { CrashableProcess } from './notifications/crashable-process.ts';
import { type Received, type Receiver, startReceiver } from './servers/receiver.ts';

export const PROJECT = 'aaaaaaaaaaaaaaaaaaaaaaaa';
export const OTHER_PROJECT = 'bbbbbbbbbbbbbbbbbbbbbbbb';
export const SECRET = `whsec_${Buffer.from('a secret of 24 bytes, so').toString('base64')}`;

interface ReceivedEvent {
  readonly id: string;
  readonly type: string;
  readonly position: string;
  readonly scope: string;
}

/** A received batch: what it says of itself, and its events. */
export interface ReceivedBatch {
  readonly request: Received;
  readonly data: {
    readonly destination: string;
    readonly scope: string;
    readonly replay: string | null;
    readonly previous: string;
    readonly position: string;
    readonly events: number;
  };
  readonly events: readonly ReceivedEvent[];
}

/** The pusher of destinations on an in-memory log and a test clock, with its tables in Postgres and a real receiver. */
export class DestinationWorld {
  now = Date.parse('2026-03-01T10:00:30Z');
  readonly store = new MemoryEventStore({ now: () => this.now });
  readonly keyring = new MemoryKeyring();
  readonly views = new MemoryViews(() => this.store.events);
  readonly errors: unknown[] = [];
  readonly positions: PushStore;
  crashable = new CrashableProcess();
  private pusher: DestinationPusher;
  private handled = 0;

  private constructor(
    private readonly pool: pg.Pool,
    readonly receiver: Receiver,
    private readonly allowed: readonly string[],
  ) {
    this.positions = new PushStore(pool);
    this.pusher = this.newPusher();
  }

  /** Two projects of user 1. */
  static async open(pool: pg.Pool, allowed: readonly string[] = ['127.0.0.0/8']): Promise<DestinationWorld> {
    await pool.query('DELETE FROM destination_partition; DELETE FROM destination_scan');
    const world = new DestinationWorld(pool, await startReceiver(), allowed);
    for (const id of [PROJECT, OTHER_PROJECT]) await world.append('ProjectCreated', {}, id);
    await world.restart();
    return world;
  }

  close(): Promise<void> {
    return this.receiver.close();
  }

  /** Adds a destination for all events from now on; answers its id. */
  async add(changes: Partial<Events['DestinationAdded']> = {}, projectId: string | null = PROJECT, path = '/hook'): Promise<string> {
    const subject = projectId === null ? 'system' : projectStream(projectId);
    const [url, secret] = await Promise.all([
      this.keyring.seal(subject, `${this.receiver.url}${path}`),
      this.keyring.seal(subject, SECRET),
    ]);
    const destinationId = randomUUID().replaceAll('-', '').slice(0, 24);
    const filter = { types: [], scopes: null };
    const added = { destinationId, values: { url, secret }, filter, after: this.store.events.length - 1, by: 1, ...changes };
    await this.append('DestinationAdded', added, projectId);
    return destinationId;
  }

  /** Appends the type's sample event with these changes, at the world's time; `projectId` null: of the system. */
  async append<Type extends EventType>(type: Type, changes: Partial<Events[Type]>, projectId: string | null = PROJECT): Promise<void> {
    const scope = projectId === null ? 'system' : projectStream(projectId);
    const id = randomUUID();
    const occurredAt = new Date(this.now).toISOString();
    const meta = { actor: { kind: 'user', id: '1' }, correlationId: id, causationId: null, commandId: randomUUID(), occurredAt } as const;
    const data = { ...samples(projectId ?? '')[type], ...changes };
    const isOfOwner = /^(Destination|Project|Member|Service)/.test(type);
    const stream = isOfOwner
      ? projectId === null
        ? type.startsWith('Service')
          ? 'service-accounts'
          : 'destinations'
        : scope
      : `test-${id}`;
    const known = this.store.events.filter((event) => event.stream === stream).length;
    await this.store.append(stream, known === 0 ? 'no stream' : known - 1, [{ id, type, version: 1, scope, meta, data }]);
  }

  async fail(count: number, projectId = PROJECT): Promise<void> {
    for (let nth = 0; nth < count; nth++) await this.append('CheckFailed', {}, projectId);
  }

  /** Only the tables and the log survive. */
  async restart(): Promise<void> {
    this.crashable = new CrashableProcess();
    this.pusher = this.newPusher();
    await this.reopen();
  }

  async reopen(): Promise<void> {
    this.handled = (await this.pusher.open()) + 1;
  }

  /** Handles the new events of the log, and sends everything that is due. */
  async push(): Promise<void> {
    for (;;) {
      await this.handle();
      await this.pusher.drain();
      const started = this.pusher.pushDue();
      await this.pusher.drain();
      if (started === 0 && this.handled === this.store.events.length) return;
    }
  }

  /** Starts what is due without waiting for it. */
  async start(): Promise<number> {
    await this.handle();
    return this.pusher.pushDue();
  }

  drain(): Promise<void> {
    return this.pusher.drain();
  }

  async advance(seconds: number): Promise<void> {
    this.now += seconds * 1000;
    await this.push();
  }

  batches(path = '/hook'): readonly ReceivedBatch[] {
    return this.receiver.received
      .filter((request) => request.path === path)
      .map((request) => {
        const [{ data }, ...events] = JSON.parse(request.body) as [Pick<ReceivedBatch, 'data'>, ...ReceivedEvent[]];
        return { request, data, events };
      });
  }

  /** Positions of the events in the order in which they came, each the first time. */
  received(path = '/hook'): readonly number[] {
    return [...new Set(this.batches(path).flatMap(({ events }) => events.map(({ position }) => Number(position))))];
  }

  /** Positions of events of a project in the log. */
  logged(projectId = PROJECT, after = -1): readonly number[] {
    return this.store.events.filter(({ scope, n }) => scope === projectStream(projectId) && n > after).map(({ n }) => n);
  }

  private async handle(): Promise<void> {
    const batch = this.store.events.slice(this.handled);
    this.handled = this.store.events.length;
    if (batch.length > 0) await this.pusher.handle(batch);
  }

  private newPusher(): DestinationPusher {
    const { crashable, views, keyring } = this;
    const baseUrl = 'https://watch.example/api';
    // No event of these tests is of a check that was deleted.
    const names = new NamesReader(views, keyring, { find: () => Promise.resolve([]) } as unknown as LogSearcher);
    const pause = new PauseDestinationHandler(new CommandRunner(crashable.store(this.store)));
    const post = guardedPost(new SsrfGuard({ allowed: this.allowed }), { deadlineMs: 1_000 });
    return new DestinationPusher({
      store: new PushStore(crashable.pool(this.pool)),
      log: crashable.log(new MemoryLog(this.store, new LocalWake())),
      views: crashable.views(views, () => false),
      keyring,
      transports: { post: (request) => crashable.step(() => post(request)), now: () => this.now },
      presenter: { baseUrl, present: async (events) => (await presentEvents(names, events)).map((event) => cloudEventOf(event, baseUrl)) },
      seal: { since: () => Promise.resolve(null) },
      pause: ({ id, owner }, reason) =>
        pause.execute(
          new PauseDestination(systemContext({ kind: 'reactor', id: 'destinations' }, this.now), { owner, destinationId: id, reason }),
        ),
      meter: { delivered: () => undefined, failed: () => undefined },
      now: () => this.now,
      random: () => 0.5,
      report: (error) => this.errors.push(error),
    });
  }
}
