import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifyConsistency } from '../../../src/ledger/verify/merkle-tree.ts';
import type { ApiClient, Json } from '../../support/api-client.ts';
import { TestAccounts, type TestAccount } from '../../support/test-accounts.ts';
import { createTestMailServer, type TestMailServer } from '../../support/servers/mail.ts';
import { type Received, type Receiver, startReceiver } from '../../support/servers/receiver.ts';
import { type Site, startHttp } from '../../support/servers/site.ts';
import { hasPython } from '../../support/follow-script.ts';
import { freePort } from '../../support/free-port.ts';
import { startReceiveScript } from '../../support/receive-script.ts';
import { TestService } from '../../support/service.ts';
import { until } from '../../support/until.ts';

let service: TestService;
let site: Site;
let hook: Receiver;
let pager: Receiver;
/** Receives traces and metrics by OTLP. */
let collector: Receiver;
let mail: TestMailServer;
let owner: TestAccount;
let api: ApiClient;
let projectId: string;
let secret: string;
let broken = false;
let env: Record<string, string>;

const CONFIRMED_WITHIN = 50_000;
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

beforeAll(async () => {
  site = await startHttp((_, response) => {
    response.statusCode = broken ? 503 : 200;
    response.setHeader('content-type', 'text/html').end('<title>Shop</title><p>Welcome</p>');
  });
  [hook, pager, collector, mail] = await Promise.all([startReceiver(), startReceiver(), startReceiver(), createTestMailServer()]);
  env = {
    REGISTRATION: 'open',
    RATE_LIMIT: '0',
    ALLOW_TARGETS: '127.0.0.0/8',
    ALLOW_HOOKS: '127.0.0.0/8',
    SMTP_URL: mail.url,
    PAGERDUTY_URL: `${pager.url}/v2/enqueue`,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: '200',
    OTEL_METRIC_EXPORT_INTERVAL: '1000',
  };
  service = await TestService.start({ env });
  owner = await new TestAccounts(service).admin();
  api = owner.api;
  projectId = await new TestAccounts(service).project(owner, site.url);
  await api.put(`/project/${projectId}`, { period: false, uptimeEnabled: false, title: 'Shop & Co' });
  const areaId: string = (await api.post(`/project/${projectId}/areas`, { name: 'Shop' })).body.id;
  await api.post(`/project/${projectId}/tests`, { areaId, url: '/', name: 'Homepage', rules: [{ type: 'status', op: 'eq', val: '200' }] });
});
afterAll(async () => {
  await service.stop();
  await Promise.all([site.close(), hook.close(), pager.close(), collector.close(), mail.close()]);
});

/** Runs every test; the service confirms a failure 10 to 30 seconds later. */
async function run(headers: Readonly<Record<string, string>> = {}): Promise<void> {
  const { jobId } = (await api.with(headers).get(`/project/${projectId}/start?keep-alive=true`)).body;
  await until(async () => (await api.get(`/project/${projectId}/job/${String(jobId)}/results`)).body.processed === true, 10_000);
}

const messages = (kind: string): readonly Received[] => hook.received.filter(({ body }) => JSON.parse(body).type === kind);

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

const deliveries = async (): Promise<Json[]> => (await api.get('/account/deliveries')).body.deliveries;

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
  it('sends a confirmed failure and its recovery once each, also after a restart', async () => {
    await api.post(`/project/${projectId}/notifications`, { webhook: true });
    await run();
    expect((await api.get(`/project/${projectId}/status`)).body.project).toMatchObject({ status: 'ok', reported: '' });
    broken = true;
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
    expect(data.text).toMatch(/^Check Homepage failed: .*200.*503.* after \d+\.\d s from eu\. Since .*\(UTC\)\.$/);
    await until(async () => (await api.get(`/project/${projectId}/status`)).body.project.reported === 'error', 5_000, 'reported');
    await until(() => Promise.resolve(mail.to(owner.email).some((text) => text.includes('check Homepage failed'))), 5_000, 'the mail');

    const { events } = (await api.get(`/project/${projectId}/history?type=NotificationDelivered`)).body;
    const chain = (await api.get(`/project/${projectId}/history/${String(events[0].id)}/chain`)).body.events.map(({ type }: Json) => type);
    expect(chain).toEqual(expect.arrayContaining(['CheckSuspected', 'CheckFailed', 'NotificationRequested', 'NotificationDelivered']));

    // From the press of start to the message: one trace, in the events and at the receiver.
    expect(problem.headers['traceparent']).toMatch(new RegExp(`^00-${TRACE}-(?!00f067aa0ba902b7)[0-9a-f]{16}-01$`));
    const { rows: traced } = await service.database.pool.query<{ type: string }>('SELECT type FROM log WHERE meta LIKE $1', [
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

    await service.kill();
    service = await TestService.start({ beside: service, env });
    api = (owner = await new TestAccounts(service).admin()).api;
    broken = false;
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

  it('repeats a message at most once, with the same id, when the service is killed between sending and recording', async () => {
    await api.put('/account/channels/pagerduty', { routingKey: 'routing-key' });
    await api.post(`/project/${projectId}/notifications`, { pagerduty: true });
    const before = messages('problem').length;
    hook.answer = (_, response) => {
      hook.answer = (__, later) => void later.end('ok');
      void service.kill().then(() => response.end('ok'));
    };
    broken = true;
    await run();
    await until(() => Promise.resolve(messages('problem').length > before), 70_000, 'the problem');
    await service.kill();
    service = await TestService.start({ beside: service, env });
    api = (owner = await new TestAccounts(service).admin()).api;
    await until(() => Promise.resolve(messages('problem').length > before + 1), 30_000, 'the repeat');
    await until(async () => (await deliveries()).every(({ status }: Json) => status === 'delivered'), 10_000, 'all delivered');
    const [first, second, ...more] = messages('problem').slice(before);
    expect(more).toEqual([]);
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    const { rows } = await service.database.pool.query(
      `SELECT stream, type, count(*)::int AS times FROM log WHERE stream LIKE 'message-%' GROUP BY 1, 2 HAVING count(*) > 1`,
    );
    expect(rows).toEqual([]);
    const { rows: leaked } = await service.database.pool.query(`SELECT n FROM log WHERE data LIKE '%very-secret%' OR data LIKE '%whsec%'`);
    expect(leaked).toEqual([]);
  });

  it('resolves the incident of a deleted failing test without a recovery message', async () => {
    const incidents = (): readonly Json[] => pager.received.map(({ body }) => JSON.parse(body));
    const recoveries = messages('recovery').length;
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
    await until(async () => (await deliveries()).some(({ kind, status }: Json) => kind === 'withdrawal' && status === 'delivered'), 10_000);
    expect(messages('recovery')).toHaveLength(recoveries);
  });
});

describe('a destination of a project', () => {
  let receiver: Receiver;
  let added: Json;
  let path: string;

  interface Batch {
    readonly request: Received;
    readonly data: Json;
    readonly events: readonly Json[];
  }
  const batches = (): readonly Batch[] =>
    receiver.received.map((request) => {
      const [{ data }, ...events] = JSON.parse(request.body) as [Json, ...Json[]];
      return { request, data, events };
    });
  const idsOf = (found: readonly Batch[]): readonly string[] => found.flatMap(({ events }) => events.map(({ id }) => String(id)));
  const isSigned = ({ request: { headers, body } }: Batch): boolean => {
    const text = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
    const key = Buffer.from(String(added.secret).replace('whsec_', ''), 'base64');
    return headers['webhook-signature'] === `v1,${createHmac('sha256', key).update(text).digest('base64')}`;
  };
  const history = async (): Promise<readonly string[]> => {
    const ids: string[] = [];
    for await (const { id } of api.client.follow('/project/{id}/history', { path: { id: projectId }, untilHead: true })) ids.push(id);
    return ids;
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

  (hasPython ? it : it.skip)('is verified by the receiver of the guide, which refuses gaps, forgeries and a rewritten log', async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${String(port)}/`;
    // Without events until the receiver has the secret.
    const { body: made } = await api.post(`/project/${projectId}/destinations`, {
      name: 'Python',
      url,
      types: ['ProjectDeleted'],
      from: '0',
    });
    const verifierKey = (await api.as(null).get('/ledger/key')).text.split('\n')[0] ?? '';
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
      await api.patch(own, { types: [] });
      const isComplete = async (): Promise<boolean> => stored().length === (await history()).length;
      await until(isComplete, 20_000, 'the history');
      await api.put(`/project/${projectId}`, { title: 'For Python' });
      await until(isComplete, 20_000, 'the next event');
      expect(new Set(stored())).toEqual(new Set(await history()));
      await api.delete(own);

      const [[scope, position, size] = []] = python.query('SELECT scope, position, size FROM place');
      const checkpoint = (await api.get('/ledger/checkpoint')).text;
      const to = Number(checkpoint.split('\n')[1]);
      const proof = to === size ? [] : (await api.get(`/ledger/consistency?from=${String(size)}&to=${String(to)}`)).body.path;
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

  it('loses no event and changes no order when the service is killed while it sends a batch', async () => {
    const before = receiver.received.length;
    receiver.answer = (_, response) => {
      receiver.answer = (__, later) => void later.end('ok');
      void service.kill().then(() => response.end('ok'));
    };
    for (let nth = 0; nth < 5; nth++) await api.put(`/project/${projectId}`, { title: `Shop ${String(nth)}` }).catch(() => undefined);
    await until(() => Promise.resolve(receiver.received.length > before), 10_000, 'a batch');
    await service.kill();
    service = await TestService.start({ beside: service, env });
    api = (owner = await new TestAccounts(service).admin()).api;
    await api.put(`/project/${projectId}`, { title: 'Shop & Co' });
    await until(async () => idsOf(batches()).at(-1) === (await history()).at(-1), 30_000, 'what came meanwhile');
    expect([...new Set(idsOf(batches().slice(before)))]).toEqual((await history()).slice(-new Set(idsOf(batches().slice(before))).size));
    expect(new Set(idsOf(batches())).size).toBe((await history()).length);
  });
});

describe('the weekly report', () => {
  const reports = (): readonly string[] => mail.to(owner.email).filter((text) => text.includes('Weekly report'));

  it('is mailed once, with the checkpoint, to an account whose last report is long ago', async () => {
    expect(reports()).toEqual([]);
    await service.kill();
    // As after an outage of several weeks.
    await service.database.pool.query(`UPDATE report_plan SET last_week = '2020-01-06', look_at = now()`);
    service = await TestService.start({ beside: service, env });
    await until(() => Promise.resolve(reports().length > 0), 60_000, 'the report');
    await service.kill();
    service = await TestService.start({ beside: service, env });
    api = (owner = await new TestAccounts(service).admin()).api;
    await until(async () => (await deliveries()).some(({ kind, status }: Json) => kind === 'report' && status === 'delivered'), 30_000);
    const found = (await deliveries()).find(({ kind }: Json) => kind === 'report');
    expect(found).toMatchObject({ channel: 'email', projectId: null });
    const { rows } = await service.database.pool.query(`SELECT type, scope FROM log WHERE stream = $1 ORDER BY n`, [
      `message-${String(found?.id)}`,
    ]);
    expect(rows.map(({ type }) => type)).toEqual(['NotificationRequested', 'NotificationDelivered']);
    expect(new Set(rows.map(({ scope }) => scope))).toEqual(new Set([`account-${String(owner.userId)}`]));
    const [report = ''] = reports();
    expect(report).toContain('Shop & Co');
    const [origin = ''] = (await api.get('/ledger/checkpoint')).text.split('\n');
    expect(report).toContain(origin);
    // The process was killed in between, so the mail may be repeated once, under the same id.
    expect(reports().length).toBeLessThanOrEqual(2);
    expect(new Set(reports().map((text) => /^Message-ID: (.*)$/im.exec(text)?.[1])).size).toBe(1);
  });
});
