import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Answer, ApiClient, Json } from '../../support/api-client.ts';
import { errorBody } from '../../support/error-body.ts';
import { TestService } from '../../support/service.ts';
import { type TestAccount, TestAccounts } from '../../support/test-accounts.ts';

let service: TestService;
let people: TestAccounts;
let owner: TestAccount;
let api: ApiClient;
let projectId: string;
beforeAll(async () => {
  service = await TestService.start({ env: { ROLES: 'api,projector,reactor', REGISTRATION: 'open' } });
  people = new TestAccounts(service);
  owner = await people.register('owner');
  await people.administer(owner, { plan: 'unlimited' });
  ({ api } = owner);
  projectId = await people.project(owner);
});
afterAll(() => service.stop());

const batch = (operations: readonly object[], more: object = {}, by = api): Promise<Answer> => by.post('/batch', { operations, ...more });
const atomic = (operations: readonly object[], by = api): Promise<Answer> => batch(operations, { atomic: true }, by);
const statuses = ({ body }: Answer): readonly number[] => (body.answers as readonly { status: number }[]).map(({ status }) => status);
const test = (url: string, more: object = {}): object => ({ method: 'POST', path: `/project/${projectId}/tests`, body: { url }, ...more });
const rename = (title: string, more: object = {}): object => ({ method: 'PATCH', path: `/project/${projectId}`, body: { title }, ...more });
const history = async (): Promise<readonly Json[]> => (await api.get(`/project/${projectId}/history?order=asc&limit=1000`)).body.events;
const urls = async (): Promise<readonly string[]> =>
  ((await api.get(`/project/${projectId}/tests`)).body as readonly { url: string }[]).map(({ url }) => url);

describe('a batch', () => {
  it('answers each operation as it would be answered alone, in their order', async () => {
    const answer = await batch([
      rename('One'),
      { method: 'POST', path: '/project/create', body: { url: 'https://example.com/new' } },
      { method: 'PUT', path: `/test/${'a'.repeat(24)}`, body: { url: '/' } },
      { method: 'PUT', path: `/project/${projectId}`, body: { titel: 'x' } },
      { method: 'POST', path: `/project/${projectId}/tests?areaId=none`, body: { url: '/' } },
      rename('Two'),
      { path: '/project/create' },
      {},
    ]);
    expect(answer.status).toBe(200);
    expect(statuses(answer)).toEqual([200, 200, 404, 400, 404, 200, 400, 400]);
    expect(answer.body.failed).toBe(5);
    expect(answer.body.answers[1].body).toMatchObject({ url: 'https://example.com/new', userIds: [owner.userId] });
    expect(answer.body.answers[3].body).toMatchObject({ param: 'titel', message: 'titel: is not a known field; did you mean "title"?' });
    expect(answer.body.answers[6].body.message).toBe('method: must be one of POST, PUT, PATCH, DELETE');
    expect((await api.get(`/project/${projectId}`)).body.title).toBe('Two');
  });

  it('carries an operation with a key out once, also when the batch has the key of it', async () => {
    const keyed = [test('/once', { key: randomUUID() }), test('/once-more')];
    const send = (): Promise<Answer> => batch(keyed, {}, api.with({ 'idempotency-key': 'of the batch'.replaceAll(' ', '-') }));
    const first = await send();
    const again = await send();
    const idsOf = ({ body }: Answer): readonly string[] => body.answers.map(({ body: created }: Json) => created.id as string);
    expect(idsOf(again)).toEqual(idsOf(first));
    expect(again.body.answers.map(({ replayed }: Json) => replayed)).toEqual([true, true]);
    expect((await urls()).filter((url) => url.includes('/once'))).toHaveLength(2);
    const [{ key }] = keyed as [{ key: string }];
    expect(statuses(await batch([test('/another', { key })]))).toEqual([409]);
  });

  it('counts as one request, and its operations for the budget of the account', async () => {
    const leftOf = (answer: Answer): number => Number(/"account";r=(\d+)/.exec(answer.headers.get('ratelimit') ?? '')?.[1]);
    const spender = await people.register('spender');
    const own = await people.project(spender);
    const usedBytes = async (): Promise<number> => (await spender.api.get('/account/usage')).body.eventBytes.used as number;
    const usedBefore = await usedBytes();
    const renames = Array.from({ length: 50 }, (_, index) => ({
      method: 'PATCH',
      path: `/project/${own}`,
      body: { title: `Title ${String(index)}` },
    }));
    const before = leftOf(await spender.api.get('/authenticate'));
    const answer = await batch(renames, {}, spender.api);
    expect(before - leftOf(answer)).toBe(1);
    expect((await spender.api.get(`/project/${own}`)).body.title).toBe('Title 49');
    expect((await usedBytes()) - usedBefore).toBeGreaterThan(50 * 100);
  });

  it('counts each operation that is refused as a request', async () => {
    const leftOf = (answer: Answer): number => Number(/"account";r=(\d+)/.exec(answer.headers.get('ratelimit') ?? '')?.[1]);
    const refused = await people.register('refused');
    const unknown = Array.from({ length: 50 }, (_, index) => ({ method: 'POST', path: `/nothing-${String(index)}` }));
    const before = leftOf(await refused.api.get('/authenticate'));
    expect((await batch(unknown, {}, refused.api)).body.failed).toBe(50);
    expect(before - leftOf(await refused.api.get('/authenticate'))).toBe(52);
  });

  it('gives no operation more rights than its caller has', async () => {
    const guest = await people.register('guest');
    await people.join(projectId, owner, guest, '6');
    const outsider = await people.register('outsider');
    const narrowed = api.as((await api.post('/account/tokens', { name: 'narrow', scopes: ['editTests'] })).body.token as string);
    const operations = [rename('Taken'), test('/by-others')];
    expect(statuses(await batch(operations, {}, guest.api))).toEqual([403, 403]);
    expect(statuses(await batch(operations, {}, outsider.api))).toEqual([403, 403]);
    const byToken = await batch(operations, {}, narrowed);
    expect(statuses(byToken)).toEqual([403, 200]);
    expect(byToken.body.answers[0].body).toMatchObject({ errorCode: 'SCOPE_MISSING', scope: 'edit' });
    expect((await batch(operations, {}, people.anonymous)).status).toBe(401);
    const events = await history();
    expect(events.at(-1)).toMatchObject({ type: 'CheckCreated', actor: { kind: 'token', id: String(owner.userId) } });
  });

  it('compares the settings that an operation names with If-Match', async () => {
    const read = await api.get(`/project/${projectId}`);
    const ifMatch = read.headers.get('etag');
    expect(statuses(await batch([rename('Read before', { ifMatch }), rename('Not read', { ifMatch })]))).toEqual([200, 412]);
  });

  it.each([
    ['another batch', 'POST', '/batch', 400],
    ['another batch, spelled otherwise', 'POST', '/batch/', 400],
    ['a sign-in', 'POST', '/authenticate', 400],
    ['a token', 'POST', '/account/tokens', 400],
    ['a run of a check on the live page', 'POST', '/project/PROJECT/try', 400],
    ['a wait for events', 'POST', '/subscriptions/x/read', 400],
    ['an account', 'DELETE', '/account', 400],
    ['a read', 'GET', '/projects', 400],
    ['a path with the prefix', 'POST', '/api/project/create', 404],
    ['a path out of the API', 'POST', '/project/../../console/x', 404],
    ['the same, encoded', 'POST', '/project/%2e%2e/%2e%2e/metrics', 404],
    ['another host', 'POST', '//example.com/project/create', 400],
    ['a whole address', 'POST', 'http://example.com/api/project/create', 400],
    ['a path with a line break', 'POST', '/project/create\r\nHost: evil', 400],
    ['an encoded name of a route', 'POST', '/%62atch', 400],
    ['no path', 'POST', 7, 400],
  ])('refuses %s as an operation', async (_, method, path, status) => {
    const operation = {
      method,
      path: typeof path === 'string' ? path.replace('PROJECT', projectId) : path,
      body: { url: 'https://example.com' },
    };
    expect(statuses(await batch([operation, { ...operation, key: 'k' }]))).toEqual([status, status]);
  });

  it.each([
    ['no list', { operations: {} }],
    ['an empty list', { operations: [] }],
    ['1,001 operations', { operations: Array.from({ length: 1_001 }, () => ({})) }],
    ['another field', { operations: [{}], operation: 1 }],
    ['100,001 values', { operations: [{ method: 'POST', path: '/project/create', body: Array.from({ length: 100_001 }, () => 1) }] }],
  ])('is refused with %s', async (_, body) => {
    expect((await api.post('/batch', body)).status).toBe(400);
  });

  it('measures the body of each operation like that of a request', async () => {
    const body = { url: '/', rules: Array.from({ length: 5_001 }, () => 1) };
    const answer = await batch([{ method: 'POST', path: `/project/${projectId}/tests`, body }]);
    expect(answer.body.answers[0].body.message).toBe('The body has more than 5000 names and list elements.');
  });
});

describe('an atomic batch', () => {
  it('is one append, in which each operation decides on what those before it did', async () => {
    const before = (await history()).length;
    const answer = await atomic([
      { method: 'POST', path: `/project/${projectId}/areas`, body: { name: 'Together' } },
      test('/a'),
      rename('Together'),
      { method: 'PUT', path: `/project/${projectId}/objective`, body: { objective: { percent: 99.9, window: 'month' } } },
      rename('At last'),
    ]);
    expect(statuses(answer)).toEqual([200, 200, 200, 200, 200]);
    expect(answer.body.answers[0].body).toMatchObject({ name: 'Together', projectId });
    const events = (await history()).slice(before);
    expect(events.map(({ type }) => type)).toEqual(['AreaCreated', 'CheckCreated', 'ProjectRenamed', 'ObjectiveSet', 'ProjectRenamed']);
    expect(events.at(-1).data).toMatchObject({ from: 'Together', to: 'At last' });
    const [{ position }] = events;
    expect(events.map((event) => event.position)).toEqual(events.map((_, index) => String(Number(position) + index)));
  });

  it.each([
    [
      'its decision refuses',
      () => ({ method: 'POST', path: `/project/${projectId}/tests`, body: { url: '/', areaId: 'a'.repeat(24) } }),
      404,
    ],
    ['it is not valid', () => rename('x'.repeat(300)), 400],
    ['its caller lacks the right', () => ({ method: 'PUT', path: `/project/${'a'.repeat(24)}`, body: { title: 'x' } }), 404],
    ['it cannot be part of an append', () => ({ method: 'POST', path: '/project/create', body: { url: 'https://example.com' } }), 400],
  ])('carries nothing out when one is refused because %s', async (_, refused, status) => {
    const before = await history();
    const key = randomUUID();
    const answer = await atomic([rename(`Never ${key}`, { key }), refused(), test('/never')]);
    expect(statuses(answer)).toEqual([424, status, 424]);
    expect(answer.body.answers[0].body).toEqual(errorBody(424, 'Not carried out, because the batch is atomic: operation 1 was refused.'));
    expect(await history()).toEqual(before);
    // The refusal of another operation is no outcome of this one.
    expect(statuses(await atomic([rename(`Never ${key}`, { key })]))).toEqual([200]);
  });

  it('takes operations of one project alone', async () => {
    const other = await people.project(owner);
    const answer = await atomic([rename('Here'), { method: 'PATCH', path: `/project/${other}`, body: { title: 'There' } }]);
    expect(statuses(answer)).toEqual([424, 424]);
    expect(answer.body.answers[1].body.message).toContain('operation 1 is about another project than operation 0');
  });

  it('carries operations with keys out once', async () => {
    const operations = [test('/joint', { key: randomUUID() }), rename('Joint', { key: randomUUID() })];
    const first = await atomic(operations);
    const events = await history();
    const again = await atomic(operations);
    expect(again.body.answers.map(({ body }: Json) => body)).toEqual(first.body.answers.map(({ body }: Json) => body));
    expect(again.body.answers.map(({ replayed }: Json) => replayed)).toEqual([true, true]);
    expect(await history()).toEqual(events);
  });

  it('deletes a group and its tests with everything else', async () => {
    const area = (await api.post(`/project/${projectId}/areas`, { name: 'Ends' })).body.id as string;
    const check = (await api.post(`/project/${projectId}/tests`, { url: '/ends', areaId: area })).body.id as string;
    const answer = await atomic([{ method: 'DELETE', path: `/area/${area}` }, rename('Without')]);
    expect(statuses(answer)).toEqual([200, 200]);
    expect((await api.get(`/test/${check}`)).status).toBe(403);
  });

  it('is refused as a whole when it is too much for one append', async () => {
    const before = (await history()).length;
    const large = Array.from({ length: 1_000 }, () => test('/large', { body: { url: '/large', notice: 'x'.repeat(800) } }));
    const answer = await atomic(large);
    expect(answer.status).toBe(400);
    expect(answer.body.errorCode).toBe('EVENT_TOO_LARGE');
    expect((await history()).length).toBe(before);
  });
});
