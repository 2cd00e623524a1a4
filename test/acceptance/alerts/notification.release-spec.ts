import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Json } from '../../support/api-client.ts';
import { hasPython } from '../../support/follow-script.ts';
import { freePort } from '../../support/free-port.ts';
import { batchesOf, CONFIRMED_WITHIN, idsOf, NotifiedProject } from '../../support/notified-project.ts';
import { startReceiveScript } from '../../support/receive-script.ts';
import { type Received, type Receiver, startReceiver } from '../../support/servers/receiver.ts';
import { until } from '../../support/until.ts';

let notified: NotifiedProject;
let projectId: string;

beforeAll(async () => {
  notified = await NotifiedProject.start();
  ({ projectId } = notified);
  await notified.api.put('/account/channels/webhook', { url: `${notified.receivers.hook.url}/hook?key=very-secret` });
  await notified.api.post(`/project/${projectId}/notifications`, { webhook: true });
});
afterAll(() => notified.stop());

const messages = (kind: string): readonly Received[] => notified.messages(kind);
const areDelivered = async (): Promise<boolean> => (await notified.deliveries()).every(({ status }: Json) => status === 'delivered');
const query = (text: string, values: readonly string[] = []) => notified.service.database.pool.query(text, [...values]);
const retitle = (title: string) => notified.api.put(`/project/${projectId}`, { title });

describe('notifications', () => {
  it('sends a confirmed failure and its recovery once each over a restart', async () => {
    await notified.run();
    notified.broken = true;
    await notified.run();
    await until(() => Promise.resolve(messages('problem').length > 0), CONFIRMED_WITHIN, 'the problem');
    // A message that was sent and not recorded would be repeated.
    await until(areDelivered, 10_000, 'the problem recorded');
    await notified.restart();
    notified.broken = false;
    await notified.run();
    await until(() => Promise.resolve(messages('recovery').length > 0), 20_000, 'the recovery');
    await until(areDelivered, 10_000, 'all delivered');
    expect([messages('problem').length, messages('recovery').length]).toEqual([1, 1]);
    expect((await notified.deliveries()).filter(({ kind }: Json) => kind !== 'notice')).toHaveLength(4);
  });

  it('repeats a message at most once, with the same id, when the service is killed between sending and recording', async () => {
    const { hook } = notified.receivers;
    const before = messages('problem').length;
    hook.answer = (_, response) => {
      hook.answer = (__, later) => void later.end('ok');
      void notified.service.kill().then(() => response.end('ok'));
    };
    notified.broken = true;
    await notified.run();
    await until(() => Promise.resolve(messages('problem').length > before), 70_000, 'the problem');
    await notified.restart();
    await until(() => Promise.resolve(messages('problem').length > before + 1), 30_000, 'the repeat');
    await until(areDelivered, 10_000, 'all delivered');
    const [first, second, ...more] = messages('problem').slice(before);
    expect(more).toEqual([]);
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    const { rows } = await query(
      `SELECT stream, type, count(*)::int AS times FROM log WHERE stream LIKE 'message-%' GROUP BY 1, 2 HAVING count(*) > 1`,
    );
    expect(rows).toEqual([]);
    const { rows: leaked } = await query(`SELECT n FROM log WHERE data LIKE '%very-secret%' OR data LIKE '%whsec%'`);
    expect(leaked).toEqual([]);
  });
});

describe('a destination of a project', () => {
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await startReceiver();
    await notified.api.post(`/project/${projectId}/destinations`, { name: 'Warehouse', url: receiver.url, from: '0' });
    await until(async () => new Set(idsOf(batchesOf(receiver))).size === (await notified.history()).length, 20_000, 'the history');
  });
  afterAll(() => receiver.close());

  (hasPython ? it : it.skip)('is verified by the receiver of the guide, which refuses gaps, forgeries and a rewritten log', async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${String(port)}/`;
    // Without events until the receiver has the secret.
    const { body: made } = await notified.api.post(`/project/${projectId}/destinations`, {
      name: 'Python',
      url,
      types: ['ProjectDeleted'],
      from: '0',
    });
    const verifierKey = (await notified.api.as(null).get('/ledger/key')).text.split('\n')[0] ?? '';
    const python = startReceiveScript(port, String(made.secret), verifierKey);
    const stored = (): readonly unknown[] => python.query('SELECT id FROM event').map(([id]) => id);
    try {
      await until(
        () =>
          fetch(url, { method: 'POST' }).then(
            ({ status }) => status === 401,
            () => false,
          ),
        10_000,
        'the receiver',
      );
      const own = `/project/${projectId}/destinations/${String(made.id)}`;
      await notified.api.patch(own, { types: [] });
      const isComplete = async (): Promise<boolean> => stored().length === (await notified.history()).length;
      await until(isComplete, 20_000, 'the history');
      await retitle('For Python');
      await until(isComplete, 20_000, 'the next event');
      expect(new Set(stored())).toEqual(new Set(await notified.history()));
      await notified.api.delete(own);

      const [[scope, position, size] = []] = python.query('SELECT scope, position, size FROM place');
      const checkpoint = (await notified.api.get('/ledger/checkpoint')).text;
      const to = Number(checkpoint.split('\n')[1]);
      const proof = to === size ? [] : (await notified.api.get(`/ledger/consistency?from=${String(size)}&to=${String(to)}`)).body.path;
      const seal = { from: size, to, path: proof as readonly string[], checkpoint, covers: true };
      const batch = { scope, replay: null, previous: String(position), position: String(position), seal };
      const post = async (data: object, key = String(made.secret)): Promise<number> => {
        const body = JSON.stringify([{ type: 'watchledger.destination.batch.v1', data }]);
        const [id, stamp] = ['a', String(Math.floor(Date.now() / 1_000))];
        const signature = createHmac('sha256', Buffer.from(key.replace('whsec_', ''), 'base64'))
          .update(`${id}.${stamp}.${body}`)
          .digest('base64');
        const headers = { 'webhook-id': id, 'webhook-timestamp': stamp, 'webhook-signature': `v1,${signature}` };
        return (await fetch(url, { method: 'POST', headers, body })).status;
      };
      expect(await post(batch)).toBe(204);
      expect(await post(batch, 'whsec_b3RoZXI=')).toBe(401);
      const [, , root = ''] = checkpoint.split('\n');
      const other = Buffer.alloc(32, 7).toString('base64');
      for (const wrong of [
        { previous: String(Number(position) + 1) },
        { seal: { ...seal, checkpoint: checkpoint.replace(root, other) } },
        { seal: { ...seal, path: [...proof, other] } },
        { seal: { ...seal, from: null } },
        { seal: { ...seal, from: 1 } },
        { seal: { ...seal, to: to + 1 } },
      ])
        expect([wrong, await post({ ...batch, ...wrong })]).toEqual([wrong, 409]);
    } finally {
      await python.stop();
    }
  });

  it('loses no event and changes no order when the service is killed while it sends a batch', async () => {
    const before = receiver.received.length;
    receiver.answer = (_, response) => {
      receiver.answer = (__, later) => void later.end('ok');
      void notified.service.kill().then(() => response.end('ok'));
    };
    for (let nth = 0; nth < 5; nth++) await retitle(`Shop ${String(nth)}`).catch(() => undefined);
    await until(() => Promise.resolve(receiver.received.length > before), 10_000, 'a batch');
    await notified.restart();
    await retitle('Shop & Co');
    await until(async () => idsOf(batchesOf(receiver)).at(-1) === (await notified.history()).at(-1), 30_000, 'what came meanwhile');
    expect([...new Set(idsOf(batchesOf(receiver).slice(before)))]).toEqual(
      (await notified.history()).slice(-new Set(idsOf(batchesOf(receiver).slice(before))).size),
    );
    expect(new Set(idsOf(batchesOf(receiver))).size).toBe((await notified.history()).length);
  });
});

describe('the weekly report', () => {
  const reports = (): readonly string[] =>
    notified.receivers.mail.to(notified.owner.email).filter((text) => text.includes('Weekly report'));

  it('is mailed once, with the checkpoint, to an account whose last report is long ago', async () => {
    expect(reports()).toEqual([]);
    // As after an outage of several weeks.
    await notified.restart(() => query(`UPDATE report_plan SET last_week = '2020-01-06', look_at = now()`));
    await until(() => Promise.resolve(reports().length > 0), 60_000, 'the report');
    await notified.restart();
    await until(
      async () => (await notified.deliveries()).some(({ kind, status }: Json) => kind === 'report' && status === 'delivered'),
      30_000,
    );
    const found = (await notified.deliveries()).find(({ kind }: Json) => kind === 'report');
    expect(found).toMatchObject({ channel: 'email', projectId: null });
    const { rows } = await query(`SELECT type, scope FROM log WHERE stream = $1 ORDER BY n`, [`message-${String(found?.id)}`]);
    expect(rows.map(({ type }) => type)).toEqual(['NotificationRequested', 'NotificationDelivered']);
    expect(new Set(rows.map(({ scope }) => scope))).toEqual(new Set([`account-${String(notified.owner.userId)}`]));
    const [report = ''] = reports();
    expect(report).toContain('Shop & Co');
    const [origin = ''] = (await notified.api.get('/ledger/checkpoint')).text.split('\n');
    expect(report).toContain(origin);
    // The process was killed in between, so the mail may be repeated once, under the same id.
    expect(reports().length).toBeLessThanOrEqual(2);
    expect(new Set(reports().map((text) => /^Message-ID: (.*)$/im.exec(text)?.[1])).size).toBe(1);
  });
});
