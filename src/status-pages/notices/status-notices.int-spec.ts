import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { MemoryEventStore } from '../../../test/support/memory/memory-event-store.ts';
import { MemoryLog } from '../../../test/support/memory/memory-log.ts';
import { MemoryViews } from '../../../test/support/memory-views.ts';
import { createTestMailServer, type TestMailServer } from '../../../test/support/servers/mail.ts';
import { type Receiver, startReceiver } from '../../../test/support/servers/receiver.ts';
import { samples } from '../../../test/samples/samples.ts';
import { guardedPost } from '../../alerts/channels/post.ts';
import { SmtpMailer } from '../../platform/mail/smtp-mailer.ts';
import { OutboxRows } from '../../platform/outbox/outbox-rows.ts';
import { signed } from '../../platform/outbox/standard-webhooks.ts';
import { StatusOutbox } from '../subscribers/status-outbox.ts';
import { StatusSender } from '../subscribers/status-sender.ts';
import { type SignUp, SubscriberLinks } from '../subscribers/subscriber-links.ts';
import { SubscriberStore } from '../subscribers/subscriber-store.ts';
import type { Events, EventType } from '../../events.ts';
import { draftsOnly } from '../status-page.settings.ts';
import { projectStream } from '../../kernel/stream-names.ts';
import { randomId } from '../../kernel/ids.ts';
import { LocalWake } from '../../platform/postgres/wake.ts';
import { ConsumerStore } from '../../platform/consumers/consumer-store.ts';
import type { TransactionalConsumer } from '../../platform/consumers/transactional-consumer.ts';
import { operatorGuard } from '../../platform/security/ssrf-guard/ssrf-guard.ts';
import { statusNotices } from './status-notices.ts';

const ID = '0123456789abcdef01234567';
const SCOPE = projectStream(ID);
const PAGE = 'page';
const SECRET = `whsec_${randomBytes(32).toString('base64')}`;
const DAY = 86_400_000;
const sample = samples(ID);
const secret = randomBytes(32);
const secrets = { secret: () => Promise.resolve(secret) };
const never = new AbortController().signal;

let database: TestDatabase;
let mail: TestMailServer;
let hook: Receiver;
let mailer: SmtpMailer;
beforeAll(async () => {
  [database, mail, hook] = await Promise.all([createTestDatabase(), createTestMailServer(), startReceiver()]);
  mailer = new SmtpMailer(mail.url, 'Status <status@example.test>');
});
afterAll(async () => {
  mailer.close();
  await Promise.all([database.drop(), mail.close(), hook.close()]);
});

/** The process manager on a log in memory, and the sender behind a real mail server and a real receiver. */
class World {
  now = Date.UTC(2026, 10, 21, 14);
  readonly store = new MemoryEventStore({ now: () => this.now });
  readonly views = new MemoryViews(() => this.store.events);
  readonly subscribers = new SubscriberStore(database.pool, secrets);
  readonly notices = this.open();
  readonly relay = new StatusSender({
    outbox: new StatusOutbox(database.pool),
    rows: new OutboxRows(database.pool, 'status_delivery'),
    subscribers: this.subscribers,
    links: new SubscriberLinks(secrets),
    views: this.views,
    transports: { post: guardedPost(operatorGuard()), mailer, mailFrom: 'status@example.test', now: () => this.now },
    wake: new LocalWake(),
    origin: 'https://watch.example',
    random: () => 0.5,
    report: (error) => {
      throw error;
    },
  }).relay;
  private readonly revisions = new Map<string, number>();
  private handled = 0;

  open(): TransactionalConsumer {
    const wake = new LocalWake();
    const clock = { now: () => this.now };
    return statusNotices({
      pool: database.pool,
      consumers: new ConsumerStore(database.pool),
      log: new MemoryLog(this.store, wake),
      views: this.views,
      wake,
      clock,
    });
  }

  async happens<Type extends EventType>(stream: string, type: Type, data: Partial<Events[Type]> = {}): Promise<void> {
    const revision = this.revisions.get(stream) ?? -1;
    this.revisions.set(stream, revision + 1);
    const scope = stream === SCOPE ? SCOPE : 'system';
    const meta = { actor: { kind: 'user', id: '1' }, correlationId: randomId(), causationId: null, commandId: randomId() } as const;
    const occurredAt = new Date(this.now).toISOString();
    const event = { id: randomId(), type, version: 1, scope, data: { ...sample[type], ...data }, meta: { ...meta, occurredAt } };
    await this.store.append(stream, revision === -1 ? 'no stream' : revision, [event]);
  }

  async begin(): Promise<void> {
    await this.happens(SCOPE, 'ProjectCreated', { projectId: ID, payerId: 1 });
    const items = [
      { name: 'Site', kind: 'project', id: ID, projectId: ID },
      { name: 'Cart', kind: 'check', id: 'cart', projectId: ID },
    ] as const;
    const page = { pageId: PAGE, slug: 'shop', title: 'Shop', by: 1, access: 'public', automatic: draftsOnly } as const;
    await this.happens('status-pages', 'StatusPageCreated', { ...page, groups: [{ name: '', items }] });
    this.handled = this.store.events.length;
    await this.notices.load();
  }

  publishes(title: string, items: readonly string[] = []): Promise<void> {
    return this.happens('incidents-page', 'IncidentPublished', {
      ...{ pageId: PAGE, incidentId: title, updateId: 'u', title, text: 'We look.', state: 'investigating', items },
    });
  }

  /** Handles what has happened since, and sends what is due. */
  async goOn(notices: TransactionalConsumer = this.notices): Promise<void> {
    const batch = this.store.events.slice(this.handled);
    await notices.handle(batch);
    this.handled += batch.length;
    while ((await this.relay.poll(never)) > 0) await this.relay.drain();
  }

  async subscribe(changes: Partial<SignUp>): Promise<void> {
    const expiresAt = this.now + DAY;
    const wanted: SignUp = { pageId: PAGE, kind: 'email', address: 'a@example.test', secret: null, items: [], language: 'en', expiresAt };
    await this.subscribers.confirm({ ...wanted, ...changes });
    await database.pool.query('UPDATE status_subscriber SET confirmed_at = $1', [new Date(this.now)]);
  }
}

let world: World;
let name: string;
beforeEach(async () => {
  await database.pool.query('TRUNCATE consumer, consumer_parked, status_subscriber, status_notice, status_delivery');
  world = new World();
  name = `${randomId()}@example.test`;
  hook.answer = (_, response) => void response.end('ok');
  mail.reply = () => undefined;
  await world.begin();
});
const states = async (): Promise<readonly string[]> =>
  (await database.pool.query<{ state: string }>('SELECT state FROM status_delivery ORDER BY seq')).rows.map(({ state }) => state);

describe('subscribers of a status page', () => {
  it('get a mail for an incident and each update, in their language, that one click unsubscribes', async () => {
    await world.subscribe({ address: name, language: 'de' });
    await world.publishes('Cart slow');
    await world.happens('incidents-page', 'IncidentUpdated', {
      ...{ pageId: PAGE, incidentId: 'Cart slow', updateId: 'v', state: 'resolved', text: 'It is <b>over</b>.' },
    });
    await world.goOn();
    const [first = '', second = ''] = mail.to(name);
    expect(first).toContain('Subject: [Shop] Cart slow: In Untersuchung');
    // The mail server decodes the header like a body, which changes `=` and two digits.
    expect(first).toMatch(/List-Unsubscribe:\s+<https:\/\/watch\.example\/status\/-\/leave\?token\S+>/);
    expect(first).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click');
    expect(second).toContain('Subject: [Shop] Cart slow: Behoben');
    expect(second).toContain('It is &lt;b&gt;over&lt;/b&gt;.');
    expect(await states()).toEqual(['delivered', 'delivered']);
  });

  it('get nothing that was said before they confirmed, however late it is handled', async () => {
    await world.publishes('Before');
    world.now += 1_000;
    await world.subscribe({ address: name });
    await world.publishes('After');
    await world.goOn();
    expect(mail.to(name).map((text) => /Subject: (.*): /.exec(text)?.[1])).toEqual(['[Shop] After']);
  });

  it('of an item get what is about it or about the whole page', async () => {
    await world.subscribe({ address: name, items: ['cart'] });
    await world.publishes('Site slow', [ID]);
    await world.publishes('Cart slow', ['cart']);
    await world.publishes('All slow');
    await world.goOn();
    expect(mail.to(name).map((text) => /Subject: (.*): /.exec(text)?.[1])).toEqual(['[Shop] Cart slow', '[Shop] All slow']);
  });

  it('hear of planned work and of its end, and of nothing that was recorded after it began', async () => {
    await world.subscribe({ address: name });
    const [from, to] = [new Date(world.now + DAY).toISOString(), new Date(world.now + DAY + 3_600_000).toISOString()];
    await world.happens(SCOPE, 'MaintenanceScheduled', { windowId: 'w', from, to, repeat: null });
    const past = new Date(world.now - 60_000).toISOString();
    await world.happens(SCOPE, 'MaintenanceScheduled', { windowId: 'late', from: past, to, repeat: null });
    await world.goOn();
    await world.happens(SCOPE, 'MaintenanceCancelled', { windowId: 'w', at: new Date(world.now).toISOString(), keepsPast: false });
    await world.happens(SCOPE, 'MaintenanceCancelled', { windowId: 'late', at: new Date(world.now).toISOString(), keepsPast: true });
    await world.goOn();
    expect(mail.to(name).map((text) => /Subject: (.*)/.exec(text)?.[1]?.trim())).toEqual([
      '[Shop] Planned work: Site and Cart',
      '[Shop] Planned work cancelled: Site and Cart',
    ]);
  });

  it('by webhook get a signed message that is retried under one id, in order, until the receiver answers 410', async () => {
    await world.subscribe({ kind: 'webhook', address: hook.url, secret: SECRET });
    hook.answer = (_, response) => void response.writeHead(503).end();
    await world.publishes('One');
    await world.publishes('Two');
    await world.goOn();
    const [failed] = hook.received.slice(-1);
    // What waits behind the failed one is no reason to poll before its retry.
    expect(await new StatusOutbox(database.pool).nextAt(world.now)).toBe(world.now + 5_000);
    hook.answer = (_, response) => void response.end('ok');
    world.now += 60_000;
    await world.goOn();
    const [again, next] = hook.received.slice(-2);
    const { 'webhook-id': id = '', 'webhook-timestamp': at, 'webhook-signature': signature } = again?.headers ?? {};
    expect([again?.headers['webhook-id'], JSON.parse(again?.body ?? '').data.title]).toEqual([failed?.headers['webhook-id'], 'One']);
    expect(signature).toBe(signed([SECRET], String(id), Number(at), again?.body ?? '')['webhook-signature']);
    expect(JSON.parse(next?.body ?? '')).toMatchObject({ type: 'incident.published', data: { title: 'Two', page: { title: 'Shop' } } });
    hook.answer = (_, response) => void response.writeHead(410).end();
    await world.publishes('Three');
    await world.goOn();
    expect(await world.subscribers.countsOf(PAGE)).toEqual({ email: 0, webhook: 0, failing: 0 });
  });

  it('get nothing twice when an instance that lost its lease handles the same events', async () => {
    await world.subscribe({ address: name });
    const other = world.open();
    await other.load();
    await world.publishes('Once');
    await world.goOn();
    await expect(other.handle(world.store.events)).rejects.toThrow('checkpoint was moved');
    await database.pool.query('UPDATE consumer SET n = n - 1');
    const restored = world.open();
    await restored.load();
    await restored.handle(world.store.events.slice(-1));
    await world.goOn();
    expect(mail.to(name)).toHaveLength(1);
  });

  it('that cannot be reached are dead letters, which editors count and retry', async () => {
    await world.subscribe({ address: name });
    mail.reply = (verb) => (verb === 'RCPT' ? '550 no such mailbox' : undefined);
    await world.publishes('Lost');
    await world.goOn();
    expect(await states()).toEqual(['failed']);
    expect(await world.subscribers.countsOf(PAGE)).toEqual({ email: 1, webhook: 0, failing: 1 });
    mail.reply = () => undefined;
    await database.pool.query(`UPDATE status_delivery SET next_try = '2026-11-21'`);
    expect(await world.subscribers.retryFailed(PAGE)).toBe(1);
    world.now = Date.now() + 60_000;
    await world.goOn();
    expect([await states(), mail.to(name).length]).toEqual([['delivered'], 1]);
  });

  it('are one for an address, and leave no trace of it when they go', async () => {
    await world.subscribe({ address: name });
    await world.subscribe({ address: ` ${name.toUpperCase()}`, items: ['cart'] });
    expect((await world.subscribers.countsOf(PAGE)).email).toBe(1);
    await world.publishes('Site slow', [ID]);
    await world.notices.handle(world.store.events.slice(-1));
    const { rows } = await database.pool.query<object>('SELECT * FROM status_subscriber');
    expect(JSON.stringify(rows)).not.toContain(name);
    expect([await world.subscribers.removeAddress('other', name), await world.subscribers.removeAddress(PAGE, name)]).toEqual([
      false,
      true,
    ]);
    const { rowCount } = await database.pool.query('SELECT FROM status_subscriber');
    expect([rowCount, mail.to(name).length]).toEqual([0, 0]);
  });

  it('go with their page', async () => {
    await world.subscribe({ address: name });
    await world.publishes('Unsent');
    await world.happens('status-pages', 'StatusPageDeleted', { pageId: PAGE });
    await world.goOn();
    expect([mail.to(name).length, (await world.subscribers.countsOf(PAGE)).email, await states()]).toEqual([0, 0, []]);
  });
});
