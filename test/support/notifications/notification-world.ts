import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { ConsumerStore } from '../../../src/platform/consumers/consumer-store.ts';
import { MemoryKeyring } from '../memory/memory-keyring.ts';
import { type Mail, type Mailer, noMailer } from '../../../src/platform/mail/mailer.ts';
import { DeliveryStore } from '../../../src/platform/outbox/delivery-store.ts';
import { type Bell, LocalWake } from '../../../src/platform/postgres/wake.ts';
import { CommandRunner } from '../../../src/platform/commands/command-runner.ts';
import type { Events, EventType } from '../../../src/events.ts';
import type { NotificationChannel } from '../../../src/alerts/preferences/preference.settings.ts';
import { MemoryEventStore } from '../memory/memory-event-store.ts';
import { MemoryLog } from '../memory/memory-log.ts';
import type { Transports } from '../../../src/alerts/channels/channel.ts';
import type { PostRequest, Reply } from '../../../src/alerts/channels/post.ts';
import { ClosedBooks } from '../../../src/platform/observations/closed-days/closed-books.ts';
import { PostgresSamples } from '../../../src/platform/observations/samples/postgres-samples.ts';
import { type NotificationPipeline, openNotificationPipeline } from '../../../src/alerts/notification-pipeline.ts';
import { samples } from '../../samples/samples.ts';
import { MemoryViews } from '../memory-views.ts';
import { CrashableProcess } from './crashable-process.ts';
import { accountStream, projectStream } from '../../../src/kernel/stream-names.ts';

export const answered = (status: number, retryAfterMs: number | null = null): Reply => ({
  kind: 'answered',
  status,
  body: '',
  retryAfterMs,
});

/** The id of the project and of its check. */
export const PROJECT = 'aaaaaaaaaaaaaaaaaaaaaaaa';
const TABLES = ['consumer', 'notification_episode', 'notification_intent', 'notification_message', 'report_plan'] as const;

/** A mailer that accepts every message. */
export const acceptingMailer: Mailer = { send: () => Promise.resolve({ kind: 'sent' }), close: () => undefined };

/** The notification pipeline on an in-memory event store and a test clock, with its tables in Postgres; the test answers for the receivers. */
export class NotificationWorld {
  now = Date.parse('2026-03-01T10:00:30Z');
  readonly posts: PostRequest[] = [];
  readonly mails: Mail[] = [];
  reply: (request: PostRequest) => Reply | Promise<Reply> = () => answered(200);
  readonly store = new MemoryEventStore({ now: () => this.now });
  /** Reads see only the first events of the log: simulates read models behind the log. */
  shown = Infinity;
  readonly views = new MemoryViews(() => this.store.events.slice(0, this.shown));
  /** Rows that the read models report as parked. */
  parked: readonly (readonly [view: string, key: string])[] = [];
  readonly deliveries: DeliveryStore;
  readonly errors: unknown[] = [];
  /** The timeouts of the process's waits, in order. */
  readonly waits: number[] = [];
  /** Every outside access of the process is a step of it, so that a test can crash the process at each. */
  crashable = new CrashableProcess();
  /** The seal's checkpoint that a report quotes. */
  checkpoint: string | null = null;
  readonly wake = new LocalWake();
  readonly keyring = new MemoryKeyring();
  private readonly sample = samples(PROJECT);
  private processedCount = 0;
  private process: NotificationPipeline;

  private constructor(
    readonly pool: pg.Pool,
    private readonly mailer: Mailer,
  ) {
    this.deliveries = new DeliveryStore(pool);
    this.process = this.newProcess();
  }

  /** A project of user 1 with a check and an enabled webhook; e-mail is off without a mailer. */
  static async open(pool: pg.Pool, mailer: Mailer = noMailer): Promise<NotificationWorld> {
    // DELETE instead of TRUNCATE, which creates new files and takes longer than the rest of a short test.
    await pool.query(TABLES.map((table) => `DELETE FROM ${table}`).join(';'));
    const world = new NotificationWorld(pool, mailer);
    await world.openAccount(1);
    await world.setUp(1, 'webhook');
    await world.append('ProjectCreated', {});
    await world.append('CheckCreated', {});
    await world.switchOn(1, 'webhook');
    await world.restart();
    return world;
  }

  async openAccount(userId: number): Promise<void> {
    const scope = accountStream(userId);
    const email = await this.keyring.seal(scope, `user${String(userId)}@example.test`);
    await this.append('AccountOpened', { userId, email, confirmed: true }, scope);
  }

  async setUp(userId: number, channel: 'webhook' | 'slack' | 'pagerduty', key = `key-of-${String(userId)}`): Promise<void> {
    const seal = (text: string) => this.keyring.seal(accountStream(userId), text);
    const address = { url: await seal(`https://hooks.example/${String(userId)}/${channel}`), secret: await seal('whsec_c2VjcmV0') };
    const values = channel === 'pagerduty' ? { routingKey: await seal(key) } : address;
    await this.append('ChannelSet', { channel, values }, accountStream(userId));
  }

  switchOn(userId: number, channel: NotificationChannel): Promise<void> {
    return this.append('NotificationChannelSwitched', { userId, channel, from: false, to: true });
  }

  /** Appends the type's sample event with these changes, at the world's time. */
  async append<Type extends EventType>(type: Type, changes: Partial<Events[Type]>, scope = projectStream(PROJECT)): Promise<void> {
    const id = randomUUID();
    const meta = {
      actor: { kind: 'checker', id: 'c' },
      correlationId: id,
      causationId: null,
      commandId: randomUUID(),
      occurredAt: new Date(this.now).toISOString(),
    } as const;
    await this.store.append(`test-${id}`, 'no stream', [{ id, type, version: 1, scope, meta, data: { ...this.sample[type], ...changes } }]);
  }

  /** Restarts the process: only the tables and the log survive. */
  async restart(): Promise<void> {
    this.crashable = new CrashableProcess();
    this.process = this.newProcess();
    await this.process.notifications.load();
    await this.process.reports.addKnownAccounts();
    const { rows } = await this.pool.query<{ n: string }>('SELECT n FROM consumer');
    this.processedCount = Number(rows[0]?.n) + 1;
  }

  /** Restarts the process, which is killed before or after this step. */
  async killAt(step: number, how: 'before' | 'after'): Promise<void> {
    await this.restart();
    this.crashable.killAt(step, how);
  }

  /** A second instance: runs beside this one, or continues after it lost the lease. */
  newProcess(): NotificationPipeline {
    const { crashable } = this;
    const post: Transports['post'] = (request) =>
      crashable.step(async () => {
        this.posts.push(request);
        return this.reply(request);
      });
    const transports: Transports = {
      post,
      postToService: post,
      mailer: {
        close: () => undefined,
        send: (mail) =>
          crashable.step(async () => {
            this.mails.push(mail);
            return this.mailer.send(mail);
          }),
      },
      mailFrom: 'Watchledger <w@example.test>',
      pagerdutyUrl: 'https://pagerduty.example/v2/enqueue',
      pushoverUrl: '',
      pushbulletUrl: '',
      vapid: () => Promise.reject(new Error('not available in this test')),
      now: () => this.now,
    };
    return openNotificationPipeline({
      consoleOf: () => Promise.resolve('https://watch.example'),
      pool: crashable.pool(this.pool),
      consumers: new ConsumerStore(crashable.pool(this.pool)),
      samples: new PostgresSamples(crashable.pool(this.pool)),
      books: new ClosedBooks(crashable.pool(this.pool)),
      runner: new CommandRunner(crashable.store(this.store)),
      log: crashable.log(new MemoryLog(this.store, this.wake)),
      views: crashable.views(this.views, (view, key) => this.parked.some(([ofView, ofKey]) => ofView === view && ofKey === key)),
      wake: {
        ring: (topic) => {
          this.wake.ring(topic);
        },
        bell: (topic) => this.recordingBell(topic),
        close: () => this.wake.close(),
      },
      keyring: this.keyring,
      transports,
      mailIsConfigured: this.mailer !== noMailer,
      checkpoint: () => crashable.step(() => Promise.resolve(this.checkpoint)),
      clock: { now: () => this.now },
      random: () => 0.5,
      retry: { firstMs: 0, factor: 1, mostMs: 0, forMs: null },
      report: (error) => this.errors.push(error),
    });
  }

  private recordingBell(topic: string): Bell {
    const bell = this.wake.bell(topic);
    return {
      wait: (milliseconds, signal) => {
        this.waits.push(milliseconds);
        return bell.wait(milliseconds, signal);
      },
      poll: (signal, atMostMs = Infinity) => {
        this.waits.push(atMostMs);
        return bell.poll(signal, atMostMs);
      },
      close: () => {
        bell.close();
      },
    };
  }

  /** Processes the new events, retries dead letters and sends all due messages. */
  async processAndSend(): Promise<void> {
    await this.processEvents();
    await this.process.notifications.retryDue();
    await this.send();
  }

  async processEvents(): Promise<void> {
    const batch = this.store.events.slice(this.processedCount);
    this.processedCount = this.store.events.length;
    if (batch.length > 0) await this.process.notifications.handle(batch);
  }

  async send(): Promise<void> {
    await this.plan();
    while ((await this.startSending()) > 0) await this.drain();
  }

  async plan(): Promise<void> {
    while ((await this.process.reports.planDue()) > 0);
  }

  /** Starts the due deliveries without waiting for them; returns their number. */
  startSending(): Promise<number> {
    return this.process.delivery.poll(new AbortController().signal);
  }

  /** Waits for the deliveries in progress. */
  drain(): Promise<void> {
    return this.process.delivery.drain();
  }

  async advance(seconds: number): Promise<void> {
    this.now += seconds * 1000;
    await this.processAndSend();
  }

  /** The delivered webhook messages as "user/channel type status items". */
  sentMessages(): readonly string[] {
    const hooks = this.posts.filter(({ url }) => url.startsWith('https://hooks.example/'));
    return hooks.map(({ url, body }) => {
      const { type, data } = JSON.parse(String(body)) as { type: string; data: { status: string; items: readonly unknown[] } };
      return `${url.slice('https://hooks.example/'.length)} ${type} ${data.status} ${String(data.items.length)}`;
    });
  }

  /** The waiting alerts of the outbox, and the states of all messages. */
  async remaining(): Promise<{ readonly problems: readonly string[]; readonly messages: readonly string[] }> {
    const { rows } = await this.pool.query<{ kind: string; channel: string }>(
      `SELECT kind, channel FROM notification_intent WHERE state = 'waiting'`,
    );
    const { rows: messages } = await this.pool.query<{ state: string }>('SELECT state FROM notification_message');
    return { problems: rows.map(({ kind, channel }) => `${kind} by ${channel}`), messages: messages.map(({ state }) => state) };
  }

  /** The events of the message streams, in order. */
  recorded(): readonly { readonly type: string; readonly data: Readonly<Record<string, unknown>> }[] {
    return this.store.events
      .filter(({ stream }) => stream.startsWith('message-'))
      .map(({ type, data }) => ({ type, data: data as Readonly<Record<string, unknown>> }));
  }
}
