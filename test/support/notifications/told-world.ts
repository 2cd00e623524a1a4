import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { MemoryKeyring } from '../../../src/base/keyring/memory-keyring.ts';
import { noMailer } from '../../../src/base/mail/mailer.ts';
import { DeliveryStore } from '../../../src/base/notifications/delivery-store.ts';
import { LocalWake } from '../../../src/base/wake.ts';
import { Handling } from '../../../src/commands/handle.ts';
import { NotificationRecord } from '../../../src/commands/notification/record-notification.ts';
import type { Events, EventType } from '../../../src/domain/events.ts';
import type { NotificationChannel } from '../../../src/domain/preference/settings.ts';
import { MemoryEventStore } from '../../../src/event-store/memory/memory-event-store.ts';
import { MemoryLog } from '../../../src/log/memory-log.ts';
import type { Outside } from '../../../src/reactors/channels/channel.ts';
import type { PostRequest, Reply } from '../../../src/reactors/channels/post.ts';
import { Notifier } from '../../../src/reactors/notifier/notifier.ts';
import { AddressBook } from '../../../src/reactors/sender/address-book.ts';
import { Bundling } from '../../../src/reactors/sender/bundling.ts';
import { MessageReader } from '../../../src/reactors/sender/message-reader.ts';
import { Sender } from '../../../src/reactors/sender/sender.ts';
import { samples } from '../../samples/samples.ts';
import { MemoryViews } from '../memory-views.ts';

export const answered = (status: number, retryAfterMs: number | null = null): Reply => ({
  kind: 'answered',
  status,
  body: '',
  retryAfterMs,
});

/** Events in memory on a clock of the test's own, the notifier's tables in Postgres, and a way out that the test answers for. */
export class ToldWorld {
  now = Date.parse('2026-03-01T10:00:30Z');
  readonly posts: PostRequest[] = [];
  reply: (request: PostRequest) => Reply | Promise<Reply> = () => answered(200);
  readonly store = new MemoryEventStore({ now: () => this.now });
  readonly views = new MemoryViews(() => this.store.events);
  readonly deliveries: DeliveryStore;
  readonly record = new NotificationRecord(new Handling(this.store, { check: () => undefined }));
  readonly errors: unknown[] = [];
  private readonly wake = new LocalWake();
  private readonly keyring = new MemoryKeyring();
  private readonly sample = samples('a');
  private taken = 0;
  private notifier: Notifier;
  private sender: Sender;

  private constructor(private readonly pool: pg.Pool) {
    this.deliveries = new DeliveryStore(pool);
    this.notifier = this.newNotifier();
    this.sender = this.newSender();
  }

  /** A project `a` of user 1 with a check, and a webhook that is switched on; e-mail is off for lack of a server. */
  static async open(pool: pg.Pool): Promise<ToldWorld> {
    await pool.query('TRUNCATE notifier_checkpoint, notification_episode, notification_intent, notification_message');
    const world = new ToldWorld(pool);
    await world.happen('AccountOpened', { confirmed: true }, 'account-1');
    await world.setUp(1, 'webhook');
    await world.happen('ProjectCreated', {});
    await world.happen('CheckCreated', {});
    await world.switchOn(1, 'webhook');
    await world.restart();
    return world;
  }

  async setUp(userId: number, channel: 'webhook' | 'slack'): Promise<void> {
    const seal = (text: string) => this.keyring.seal(`account-${String(userId)}`, text);
    const values = { url: await seal(`https://hooks.example/${String(userId)}/${channel}`), secret: await seal('whsec_c2VjcmV0') };
    await this.happen('ChannelSet', { channel, values }, `account-${String(userId)}`);
  }

  switchOn(userId: number, channel: NotificationChannel): Promise<void> {
    return this.happen('NotificationChannelSwitched', { userId, channel, from: false, to: true });
  }

  /** The sample of the type with changes, recorded now. */
  async happen<Type extends EventType>(type: Type, changes: Partial<Events[Type]>, scope = 'project-a'): Promise<void> {
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

  /** What a crash and a new start leave: the tables and the log. */
  async restart(): Promise<void> {
    this.notifier = this.newNotifier();
    this.sender = this.newSender();
    await this.notifier.begin();
    const { rows } = await this.pool.query<{ n: string }>('SELECT n FROM notifier_checkpoint');
    this.taken = Number(rows[0]?.n) + 1;
  }

  newNotifier(): Notifier {
    const log = new MemoryLog(this.store, this.wake);
    return new Notifier({ pool: this.pool, log, views: this.views, wake: this.wake, clock: { now: () => this.now }, mailIsOn: false });
  }

  /** Everything that follows from what happened, up to now. */
  async follow(): Promise<void> {
    const batch = this.store.events.slice(this.taken);
    this.taken = this.store.events.length;
    if (batch.length > 0) await this.notifier.take(batch);
    await this.send();
  }

  async send(): Promise<void> {
    const signal = new AbortController().signal;
    while ((await this.sender.turn(signal)) > 0) await this.sender.settle();
  }

  async pass(seconds: number): Promise<void> {
    this.now += seconds * 1000;
    await this.follow();
  }

  /** The kinds of the messages that went out, with what they name. */
  told(): readonly string[] {
    return this.posts.map(({ url, body }) => {
      const { type, data } = JSON.parse(String(body)) as { type: string; data: { status: string; items: readonly unknown[] } };
      return `${url.slice('https://hooks.example/'.length)} ${type} ${data.status} ${String(data.items.length)}`;
    });
  }

  /** Events of messages, in order. */
  recorded(): readonly { readonly type: string; readonly data: Readonly<Record<string, unknown>> }[] {
    return this.store.events
      .filter(({ stream }) => stream.startsWith('message-'))
      .map(({ type, data }) => ({ type, data: data as Readonly<Record<string, unknown>> }));
  }

  private newSender(): Sender {
    const bundling = new Bundling(this.pool);
    const post = async (request: PostRequest): Promise<Reply> => {
      this.posts.push(request);
      return this.reply(request);
    };
    const outside: Outside = {
      post,
      mailer: noMailer,
      mailFrom: 'Watchledger <w@example.test>',
      pagerdutyUrl: '',
      pushoverUrl: '',
      pushbulletUrl: '',
      vapid: () => Promise.reject(new Error('not here')),
      now: () => this.now,
    };
    return new Sender({
      deliveries: this.deliveries,
      bundling,
      messages: new MessageReader(bundling, this.views),
      addresses: new AddressBook(this.views, this.keyring),
      record: this.record,
      outside,
      views: this.views,
      wake: this.wake,
      clock: { now: () => this.now },
      random: () => 0.5,
      report: (error) => this.errors.push(error),
    });
  }
}
