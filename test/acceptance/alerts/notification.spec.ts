import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifyConsistency } from '../../../src/client/proofs/merkle-tree.ts';
import type { ApiClient, Json } from '../../support/api-client.ts';
import type { TestAccount } from '../../support/test-accounts.ts';
import { ConsoleClient, OWN_PAGE } from '../../support/console-client.ts';
import { ADMIN } from '../../support/service.ts';
import type { TestMailServer } from '../../support/servers/mail.ts';
import { type Received, type Receiver, startReceiver } from '../../support/servers/receiver.ts';
import { type Batch, batchesOf, CONFIRMED_WITHIN, idsOf, NotifiedProject } from '../../support/notified-project.ts';
import { until } from '../../support/until.ts';
import { isRelease } from '../../support/thorough.ts';

let notified: NotifiedProject;
let hook: Receiver;
let pager: Receiver;
let collector: Receiver;
let mail: TestMailServer;
let owner: TestAccount;
let api: ApiClient;
let projectId: string;
let secret: string;

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

beforeAll(async () => {
  notified = await NotifiedProject.start();
  ({ hook, pager, collector, mail } = notified.receivers);
  ({ owner, api, projectId } = notified);
});
afterAll(() => notified.stop());

const run = (headers?: Readonly<Record<string, string>>): Promise<void> => notified.run(headers);
const messages = (kind: string): readonly Received[] => notified.messages(kind);
const deliveries = (): Promise<Json[]> => notified.deliveries();
const history = (): Promise<readonly string[]> => notified.history();

interface ReceivedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
}

const spansOf = (trace: string): readonly ReceivedSpan[] =>
  collector.received
    .filter(({ path }) => path === '/v1/traces')
    .flatMap(({ body }): ReceivedSpan[] => JSON.parse(body).resourceSpans[0].scopeSpans[0].spans)
    .filter(({ traceId }) => traceId === trace);

function verified({ headers, body }: Received): boolean {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const text = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
  return headers['webhook-signature'] === `v1,${createHmac('sha256', key).update(text).digest('base64')}`;
}

describe('channels of an account', () => {
  it('are write-only and refuse invalid settings', async () => {
    const set = await api.put('/account/channels/webhook', { url: `${hook.url}/hook?key=very-secret` });
    expect(set).toMatchObject({ status: 200, body: { channel: 'webhook', configured: true } });
    expect(set.body.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    secret = set.body.secret;
    const read = await api.get('/account/channels/webhook');
    expect(read).toMatchObject({ status: 200, body: { channel: 'webhook', configured: true } });
    expect((await api.get('/account/channels/email')).body).toMatchObject({ configured: true });
    expect((await api.get('/account/channels')).text + read.text).not.toMatch(/very-secret|whsec/);

    expect((await api.put('/account/channels/telegraph', {})).status).toBe(404);
    expect((await api.post('/account/channels/slack/test')).status).toBe(409);
    for (const body of [
      {},
      { url: 'ftp://example.com/' },
      { url: 'http://10.0.0.1/' },
      { url: 'http://user:pw@example.com/' },
      { url: 7 },
      [],
      { url: hook.url, extra: 1 },
    ])
      expect((await api.put('/account/channels/slack', body)).status).toBe(400);
    expect((await api.put('/account/channels/pushover', { user: 'abcdefgh' })).body.message).toContain('token');
  });

  it('answers a test message with the response of the provider', async () => {
    expect(await api.post('/account/channels/webhook/test')).toMatchObject({
      status: 200,
      body: { delivered: true, answer: 'answered 200' },
    });
    hook.answer = (_, response) => void response.writeHead(403).end('not with very-secret');
    const refused = await api.post('/account/channels/webhook/test');
    expect(refused.body).toMatchObject({ delivered: false });
    expect(refused.body.answer).toMatch(/^answered 403/);
    hook.answer = (_, response) => void response.end('ok');
    expect(messages('test').every(verified)).toBe(true);
  });

  it('continues the trace of the request in a test message', async () => {
    const trace = 'a3ce929d0e0e47364bf92f3577b34da6';
    await api.with({ traceparent: `00-${trace}-00f067aa0ba902b7-01` }).post('/account/channels/webhook/test');
    expect(messages('test').at(-1)?.headers['traceparent']).toMatch(new RegExp(`^00-${trace}-(?!00f067aa0ba902b7)[0-9a-f]{16}-01$`));
  });
});

describe('a new secret of the webhook', () => {
  const accepts = (known: string, { headers, body }: Received): boolean => {
    const text = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
    const expected = `v1,${createHmac('sha256', Buffer.from(known.slice('whsec_'.length), 'base64'))
      .update(text)
      .digest('base64')}`;
    return String(headers['webhook-signature']).split(' ').includes(expected);
  };
  const tested = async (): Promise<Received> => {
    await api.post('/account/channels/webhook/test');
    return messages('test').at(-1)!;
  };

  it('signs beside the former one until that ends', async () => {
    const url = `${hook.url}/hook?key=very-secret`;
    const former = secret;
    const set = await api.put('/account/channels/webhook', { url });
    ({ secret } = set.body);
    expect(secret).not.toBe(former);
    const both = await tested();
    expect([accepts(former, both), accepts(secret, both)]).toEqual([true, true]);
    expect(both.headers['webhook-signature']).toMatch(/^v1,[^ ]{44} v1,[^ ]{44}$/);
    const listed = await api.get('/account/channels/webhook');
    expect(listed.text).not.toMatch(/whsec/);
    const [previous, ...others] = listed.body.previousSecrets;
    expect(others).toEqual([]);
    expect(Math.round((Date.parse(previous.endsAt) - Date.parse(set.body.setAt)) / 3_600_000)).toBe(24);

    expect((await api.delete('/account/channels/webhook/previous-secrets')).status).toBe(200);
    const alone = await tested();
    expect([accepts(former, alone), verified(alone)]).toEqual([false, true]);
    expect((await api.get('/account/channels/webhook')).body.previousSecrets).toEqual([]);
    expect((await api.delete('/account/channels/slack/previous-secrets')).status).toBe(404);
  });

  it('ends the former one at once where the address changes', async () => {
    const former = secret;
    ({ secret } = (await api.put('/account/channels/webhook', { url: `${hook.url}/hook` })).body);
    const received = await tested();
    expect([accepts(former, received), verified(received)]).toEqual([false, true]);
    expect((await api.get('/account/channels/webhook')).body.previousSecrets).toEqual([]);
  });
});

describe('notifications', () => {
  it('sends a confirmed failure and its recovery once each', async () => {
    await api.post(`/project/${projectId}/notifications`, { webhook: true });
    // What a stranger states as host is no address of the console.
    const stranger = ConsoleClient.at(notified.service.url, { ...OWN_PAGE, host: 'forged.example', 'x-forwarded-host': 'forged.example' });
    expect((await stranger.post('/session', { email: owner.email, password: 'a wrong password' })).status).toBe(401);
    await ConsoleClient.at(notified.service.url).signIn(owner.email, ADMIN.password);
    await run();
    expect((await api.get(`/project/${projectId}/status`)).body.project).toMatchObject({ status: 'ok', reported: '' });
    notified.broken = true;
    await run({ traceparent: `00-${TRACE}-00f067aa0ba902b7-01` });
    expect(messages('problem')).toEqual([]);
    await until(() => Promise.resolve(messages('problem').length > 0), CONFIRMED_WITHIN, 'the problem');
    const [problem] = messages('problem') as [Received];
    expect(verified(problem)).toBe(true);
    const { data } = JSON.parse(problem.body);
    expect(data).toMatchObject({
      project: { id: projectId, title: 'Shop & Co' },
      status: 'error',
      title: 'Shop & Co: check Homepage failed',
    });
    const [{ evidence }] = data.items;
    expect(evidence).toMatch(new RegExp(`^${notified.service.url}/console/projects/${projectId}/events/[\\w-]+$`));
    expect(data.text).toMatch(/^Check Homepage failed: .*200.*503.* after \d+\.\d s from eu\. Since .*\(UTC\)\.$/);
    await until(async () => (await api.get(`/project/${projectId}/status`)).body.project.reported === 'error', 5_000, 'reported');
    await until(() => Promise.resolve(mail.to(owner.email).some((text) => text.includes('check Homepage failed'))), 5_000, 'the mail');

    const { events } = (await api.get(`/project/${projectId}/history?type=NotificationDelivered`)).body;
    const chain = (await api.get(`/project/${projectId}/history/${String(events[0].id)}/chain`)).body.events.map(({ type }: Json) => type);
    expect(chain).toEqual(expect.arrayContaining(['CheckSuspected', 'CheckFailed', 'NotificationRequested', 'NotificationDelivered']));

    // From the press of start to the message: one trace, in the events and at the receiver.
    expect(problem.headers['traceparent']).toMatch(new RegExp(`^00-${TRACE}-(?!00f067aa0ba902b7)[0-9a-f]{16}-01$`));
    const { rows: traced } = await notified.service.database.pool.query<{ type: string }>('SELECT type FROM log WHERE meta LIKE $1', [
      `%"traceparent":"00-${TRACE}-%`,
    ]);
    expect(traced.map(({ type }) => type)).toEqual(expect.arrayContaining(['JobRequested', ...chain]));

    // The same trace at the collector: every span has its parent there, up to the span of the caller.
    const pathOf = (span: ReceivedSpan): readonly string[] => {
      const parent = spansOf(TRACE).find(({ spanId }) => spanId === span.parentSpanId);
      return parent === undefined ? [span.parentSpanId ?? '', span.name] : [...pathOf(parent), span.name];
    };
    const paths = (): readonly string[] => spansOf(TRACE).map((span) => pathOf(span).join(' > '));
    const start = '00f067aa0ba902b7 > GET /api/project/:id/start';
    const verdict = `${start} > command job > probe check > command verdict`;
    const all = [`${start} > command job > append`, `${start} > command job > project core`, `${verdict} > append`, `${verdict} > notify`];
    const isWhole = (known: readonly string[]): boolean =>
      known.every((path) => path.startsWith(start)) && [...all, `${verdict} > deliver webhook`].every((path) => known.includes(path));
    await until(() => Promise.resolve(isWhole(paths())), 10_000, 'the whole trace').catch(() => undefined);
    expect(paths().filter((path) => !path.startsWith(start))).toEqual([]);
    expect(paths()).toEqual(expect.arrayContaining(all));
    const sent = spansOf(TRACE).find(({ spanId }) => spanId === String(problem.headers['traceparent']).split('-')[2]);
    expect(sent && pathOf(sent).join(' > ')).toBe(`${verdict} > deliver webhook`);
    const metrics = collector.received.filter(({ path }) => path === '/v1/metrics').map(({ body }) => body);
    expect(metrics.some((body) => body.includes('"watchledger_append_duration_seconds"'))).toBe(true);

    notified.broken = false;
    await run({ traceparent: `00-${TRACE}-hostile` });
    await until(() => Promise.resolve(messages('recovery').length > 0), 20_000, 'the recovery');
    expect(JSON.parse(messages('recovery')[0]?.body ?? '').data.text).toMatch(/^Check Homepage has recovered.* It had failed for /);
    await until(async () => (await deliveries()).every(({ status }: Json) => status === 'delivered'), 10_000, 'all delivered');
    expect(messages('problem')).toHaveLength(1);
    expect(messages('recovery')).toHaveLength(1);
    expect(messages('recovery')[0]?.headers['traceparent']).toMatch(new RegExp(`^00-(?!${TRACE})[0-9a-f]{32}-[0-9a-f]{16}-01$`));
    const alerts = (await deliveries()).filter(({ kind }: Json) => kind !== 'notice');
    expect(alerts).toHaveLength(4);
  });

  if (isRelease)
    it('resolves the incident of a deleted failing test without a recovery message', async () => {
      const incidents = (): readonly Json[] => pager.received.map(({ body }) => JSON.parse(body));
      const recoveries = messages('recovery').length;
      await api.put('/account/channels/pagerduty', { routingKey: 'routing-key' });
      await api.post(`/project/${projectId}/notifications`, { pagerduty: true });
      notified.broken = true;
      await run();
      await until(() => Promise.resolve(incidents().length > 0), CONFIRMED_WITHIN, 'the incident');
      const [opened] = incidents();
      expect(opened).toMatchObject({ event_action: 'trigger', routing_key: 'routing-key' });
      // An open incident is resolved with the key that opened it, also after a change of the key.
      await api.put('/account/channels/pagerduty', { routingKey: 'another-key' });
      const [{ id }] = (await api.get(`/project/${projectId}/tests`)).body;
      expect((await api.delete(`/test/${String(id)}`)).status).toBe(200);
      await until(
        () => Promise.resolve(incidents().some(({ event_action: action }) => action === 'resolve')),
        20_000,
        'the end of the incident',
      );
      expect(new Set(incidents().map(({ dedup_key: key }) => String(key)))).toEqual(new Set([String(opened?.dedup_key)]));
      expect(new Set(incidents().map(({ routing_key: key }) => String(key)))).toEqual(new Set(['routing-key']));
      await until(
        async () => (await deliveries()).some(({ kind, status }: Json) => kind === 'withdrawal' && status === 'delivered'),
        10_000,
      );
      expect(messages('recovery')).toHaveLength(recoveries);
    });
});

describe('a destination of a project', () => {
  let receiver: Receiver;
  let added: Json;
  let path: string;

  const batches = (): readonly Batch[] => batchesOf(receiver);
  const isSigned = ({ request: { headers, body } }: Batch): boolean => {
    const text = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
    const key = Buffer.from(String(added.secret).replace('whsec_', ''), 'base64');
    return headers['webhook-signature'] === `v1,${createHmac('sha256', key).update(text).digest('base64')}`;
  };
  const isCaughtUp = async (): Promise<boolean> => new Set(idsOf(batches())).size === (await history()).length;

  beforeAll(async () => {
    receiver = await startReceiver();
  });
  afterAll(() => receiver.close());

  it('is refused with an address that is not public, an unknown type, or a position beyond the log', async () => {
    const good = { name: 'Warehouse', url: `${receiver.url}/very-secret` };
    for (const wrong of [
      { url: 'http://10.0.0.1/' },
      { url: 'ftp://example.com/' },
      { types: ['CheckFaild'] },
      { from: '999999999' },
      { from: 'tomorrow' },
      { scopes: ['system'] },
      { name: '' },
    ])
      expect([wrong, (await api.post(`/project/${projectId}/destinations`, { ...good, ...wrong })).status]).toEqual([wrong, 400]);
    const { body: narrowed } = await api.post('/account/tokens', { name: 'edits', scopes: ['edit', 'read'] });
    const refused = await api.as(narrowed.token as string).post(`/project/${projectId}/destinations`, good);
    expect(refused).toMatchObject({ status: 403, body: { errorCode: 'SCOPE_MISSING', scope: 'feed' } });
    expect((await api.get(`/project/${projectId}/destinations`)).body).toEqual([]);
  });

  it('gets the whole history in signed batches, each of which continues the one before and the seal', async () => {
    await until(async () => (await api.get('/ledger/checkpoint')).status === 200, 20_000, 'a checkpoint');
    const url = `${receiver.url}/very-secret`;
    added = (await api.post(`/project/${projectId}/destinations`, { name: 'Warehouse', url, from: '0' })).body;
    path = `/project/${projectId}/destinations/${String(added.id)}`;
    expect(added).toMatchObject({ host: receiver.url, secret: expect.stringMatching(/^whsec_/), state: { paused: null } });
    await until(isCaughtUp, 20_000, 'the history');
    await api.put(`/project/${projectId}`, { title: 'Shop & Co, again' });
    await until(async () => batches().at(-1)?.data.seal?.from !== null && (await isCaughtUp()), 20_000, 'the next event');
    expect(idsOf(batches())).toEqual(await history());
    expect(batches().every(isSigned)).toBe(true);
    const roots = new Map<number, Buffer>();
    for (const [index, { data }] of batches().entries()) {
      expect(data.previous).toBe(index === 0 ? '-1' : batches()[index - 1]?.data.position);
      const { from, to, path: hashes, checkpoint } = data.seal;
      const root = Buffer.from(String(checkpoint).split('\n')[2] ?? '', 'base64');
      expect(from).toBe(index === 0 ? null : batches()[index - 1]?.data.seal.to);
      const proof = (hashes as string[]).map((hash) => Buffer.from(hash, 'base64'));
      if (from !== null) expect(verifyConsistency({ size: from, root: roots.get(from)! }, { size: to, root }, proof)).toBe(true);
      roots.set(to, root);
    }
    // The position is stored once the receiver has answered.
    await until(async () => (await api.get(path)).body.state.gap === 0, 10_000, 'no gap');
    const { body: read, text } = await api.get(path);
    expect(read).toMatchObject({ state: { status: 'active', lastAnswer: 'answered 200', attempts: 0, parked: 0 } });
    expect(text).not.toMatch(/very-secret|whsec/);
  });

  it('is paused, changed, resumed and replayed, and answers a test with the response of the receiver', async () => {
    expect((await api.post(`${path}/pause`)).body).toMatchObject({ state: { status: 'paused', paused: { reason: 'requested' } } });
    await until(async () => (await api.get(path)).body.state.gap > 0, 10_000, 'events that are not pushed');
    await api.put(`/project/${projectId}`, { title: 'Shop & Co' });
    expect(await isCaughtUp()).toBe(false);
    const knowing = api.with({ 'if-match': (await api.get(path)).headers.get('etag') ?? '' });
    expect((await knowing.patch(path, { name: 'Data warehouse' })).body).toMatchObject({ name: 'Data warehouse', types: [] });
    expect(await knowing.delete(path)).toMatchObject({ status: 412, body: { changes: [{ type: 'DestinationChanged' }] } });
    expect((await api.post(`${path}/resume`)).body).toMatchObject({ state: { paused: null } });
    await until(isCaughtUp, 10_000, 'what came meanwhile');
    const count = receiver.received.length;
    expect((await api.post(`${path}/test`)).body).toEqual({ delivered: true, answer: 'answered 200' });
    const [test] = JSON.parse(receiver.received[count]?.body ?? '[]') as Json[];
    expect(test?.type).toBe('watchledger.destination.test.v1');
    await api.post(`${path}/replay`, { from: '0' });
    await until(
      () => Promise.resolve(batches().at(-1)?.data.replay !== null && batches().at(-1)?.data.replay !== undefined),
      10_000,
      'the replay',
    );
    expect(idsOf(batches().slice(count + 1))[0]).toBe((await history())[0]);
    expect((await api.get(`${path}/parked`)).body).toEqual([]);
  });
});
