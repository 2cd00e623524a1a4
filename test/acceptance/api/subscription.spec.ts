import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Answer, ApiClient, type Json } from '../../support/api-client.ts';
import { PASSWORD, TestAccounts, type TestAccount } from '../../support/test-accounts.ts';
import { TestService } from '../../support/service.ts';

const env = { REGISTRATION: 'open', RATE_LIMIT: '0', MAX_SUBSCRIPTIONS: '20' };
let service: TestService;
let beside: TestService;
let people: TestAccounts;
let owner: TestAccount;
let guest: TestAccount;
let api: ApiClient;
let projectId: string;
let otherId: string;
let name: string;
let names = 0;

beforeAll(async () => {
  service = await TestService.start({ env });
  beside = await TestService.start({ beside: service, env });
  people = new TestAccounts(service);
  owner = await people.register('owner');
  guest = await people.register('guest');
  api = owner.api;
  projectId = await people.project(owner);
  otherId = await people.project(owner, 'https://example.org');
  await people.join(projectId, owner, guest, '6');
});
afterAll(async () => {
  await beside.stop();
  await service.stop();
});
beforeEach(() => {
  name = `s${String(++names)}`;
});

const rename = (title: string, id = projectId): Promise<Answer> => api.put(`/project/${id}`, { title });
const put = async (body: Json, client = api): Promise<Answer> => client.put(`/subscriptions/${name}`, body);
const renames = { filter: { types: ['ProjectRenamed'] }, from: 'now' };
const post = async (path: string, body: Json, client = api): Promise<Json> => {
  const answer = await client.post(`/subscriptions/${name}/${path}`, body);
  expect([answer.status, answer.body]).toEqual([200, answer.body]);
  return answer.body;
};
const read = async (body: Json = {}, client = api): Promise<Json[]> => (await post('read', { consumer: 'a', ...body }, client)).deliveries;
const titles = (deliveries: readonly Json[]): readonly string[] => deliveries.map(({ event }) => event.data.to as string);
const tokens = (deliveries: readonly Json[]): readonly string[] => deliveries.map(({ token }) => token as string);

describe('a subscription', () => {
  it('delivers the events of the projects of its owner, one of each project at a time, until they are acknowledged', async () => {
    expect((await put(renames)).body).toMatchObject({ name, filter: { types: ['ProjectRenamed'], scopes: null }, gap: 0, lag: 0 });
    for (const title of ['one', 'two']) await rename(title);
    await rename('elsewhere', otherId);
    const first = await read();
    expect(titles(first)).toEqual(['one', 'elsewhere']);
    expect((await api.get(`/subscriptions/${name}`)).body).toMatchObject({
      inFlight: 2,
      waiting: 1,
      consumers: [{ name: 'a', inFlight: 2 }],
    });
    expect(await post('ack', { tokens: tokens(first) })).toEqual({ done: 2, stale: [] });
    expect(await post('ack', { tokens: [...tokens(first), '17'] })).toEqual({ done: 0, stale: [...tokens(first), '17'] });
    const second = await read();
    expect(titles(second)).toEqual(['two']);
    await post('ack', { tokens: tokens(second) });
    const { subscriptions } = (await api.get('/subscriptions')).body;
    expect(subscriptions.find((one: Json) => one.name === name)).toMatchObject({ inFlight: 0, waiting: 0, parked: 0 });
  });

  it('survives a crash of the service between read and acknowledgement, and continues through another instance', async () => {
    await put({ ...renames, ackSeconds: 2 });
    await rename('before the crash');
    const lost = await read({}, new ApiClient(beside.url, api.token));
    await beside.kill();
    const again = await read({ consumer: 'b', wait: 20 });
    expect(titles(again)).toEqual(['before the crash']);
    expect([again[0].attempt, Number(again[0].token) > Number(lost[0].token)]).toEqual([2, true]);
    expect(await post('ack', { tokens: [...tokens(lost), ...tokens(again)] })).toEqual({ done: 1, stale: tokens(lost) });
  });

  it('answers a waiting consumer when an event comes, and when another one acknowledges', async () => {
    await put(renames);
    const waiting = read({ wait: 30 });
    await rename('for a waiting consumer');
    const first = await waiting;
    expect(titles(first)).toEqual(['for a waiting consumer']);
    await rename('behind it');
    const blocked = read({ wait: 30 });
    await post('ack', { tokens: tokens(first) });
    expect(titles(await blocked)).toEqual(['behind it']);
  });

  it('retries after a pause, parks with a reason, and replays', async () => {
    await put(renames);
    await rename('to be retried');
    await post('nack', { tokens: tokens(await read()), action: 'retry' });
    const again = await read({ wait: 10 });
    expect([titles(again), again[0].attempt]).toEqual([['to be retried'], 2]);
    await post('nack', { tokens: tokens(again), action: 'park', reason: 'no such customer' });
    const { parked } = (await api.get(`/subscriptions/${name}/parked`)).body;
    expect(parked).toMatchObject([{ reason: 'no such customer', attempts: 2, event: { data: { to: 'to be retried' } } }]);
    expect(await post('parked/replay', {})).toEqual({ replayed: 1 });
    const replayed = await read();
    expect(titles(replayed)).toEqual(['to be retried']);
    await post('nack', { tokens: tokens(replayed), action: 'park' });
    const path = `/subscriptions/${name}/parked/${parked[0].position as string}`;
    expect([(await api.delete(path)).status, (await api.delete(path)).status]).toEqual([200, 404]);
  });

  it('begins again where it is reset to, also while a consumer waits', async () => {
    await put(renames);
    const { body } = await api.get(`/subscriptions/${name}`);
    await rename('read twice');
    const first = await read();
    await post('ack', { tokens: tokens(first) });
    const waiting = read({ wait: 30 });
    expect(await post('reset', { to: body.position })).toMatchObject({ position: body.position, inFlight: 0 });
    expect(titles(await waiting)).toEqual(['read twice']);
  });

  it('leaves out projects that its owner may not read any more, and refuses when none is left', async () => {
    const scope = `project-${projectId}`;
    await put({ ...renames, filter: { types: ['ProjectRenamed'], scopes: [scope] } }, guest.api);
    await rename('read by the guest');
    expect(titles(await read({}, guest.api))).toEqual(['read by the guest']);
    const waiting = guest.api.post(`/subscriptions/${name}/read`, { consumer: 'b', wait: 30 });
    await api.delete(`/project/${projectId}/users`, { users: [guest.userId] });
    await rename('after the guest');
    expect((await waiting).status).toBe(403);
    expect((await guest.api.get(`/subscriptions/${name}/parked`)).status).toBe(403);
    await put({ filter: { scopes: null } }, guest.api);
    expect(await read({}, guest.api)).toEqual([]);
  });

  it('belongs to one account, and shows nothing of those of others', async () => {
    await put(renames);
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['GET', '/parked'],
    ] as const)
      expect((await guest.api.send(method, `/subscriptions/${name}${path}`)).status).toBe(404);
    expect((await guest.api.post(`/subscriptions/${name}/ack`, { tokens: ['1'] })).status).toBe(404);
    expect((await put({ filter: { scopes: [`project-${otherId}`] } }, guest.api)).status).toBe(403);
    expect((await put({ filter: { scopes: ['system'] } })).status).toBe(403);
  });

  it('is hidden from tokens that are limited to less, which cannot take it over', async () => {
    const limited = async (more: Json): Promise<ApiClient> => {
      const { token } = (await api.post('/account/tokens', { name: 'limited', password: PASSWORD, ...more })).body as { token: string };
      return people.anonymous.as(token);
    };
    await put(renames);
    const ofOther = await limited({ scopes: ['feed'], projects: [otherId] });
    expect((await ofOther.get('/subscriptions')).body.subscriptions).toEqual([]);
    expect((await ofOther.delete(`/subscriptions/${name}`)).status).toBe(404);
    expect((await put({ filter: { scopes: [`project-${otherId}`] } }, ofOther)).status).toBe(403);
    name = `${name}-own`;
    expect((await put({ ...renames, filter: { scopes: [`project-${otherId}`] } }, ofOther)).status).toBe(200);
    await rename('for the limited token', otherId);
    expect(titles(await read({}, ofOther))).toContain('for the limited token');
    expect((await (await limited({ scopes: ['read'] })).get('/subscriptions')).body).toMatchObject({ code: 403, scope: 'feed' });
  });

  it('keeps the first answer to a read that is repeated with its Idempotency-Key', async () => {
    await put(renames);
    await rename('once');
    const keyed = api.with({ 'idempotency-key': 'the-same-read' });
    const first = await read({}, keyed);
    expect(await read({}, keyed)).toEqual(first);
  });

  it.each([
    [{ from: '999999999999' }, /from: is beyond the end of the log/],
    [{ from: 'yesterday' }, /from: must be the position/],
    [{ filter: { types: ['CheckFaild'] } }, /filter.types: there is no event CheckFaild; did you mean CheckFailed/],
    [{ partition: 'customer' }, /partition: must be one of project, stream, none/],
    [{ maxInFlight: 0 }, /maxInFlight: must be a whole number from 1 to 5000/],
    [{ ackSeconds: 4_000 }, /ackSeconds: must be a whole number from 1 to 3600/],
  ])('refuses %p', async (body, message) => {
    const answer = await put(body);
    expect([answer.status, answer.body.message]).toEqual([400, expect.stringMatching(message)]);
  });

  it('refuses a name that is none, and more subscriptions than allowed', async () => {
    expect((await api.put('/subscriptions/a%20b', {})).status).toBe(400);
    for (let number = 0; number < 21; number++) await api.put(`/subscriptions/many-${String(number)}`, renames);
    expect((await api.put('/subscriptions/one-more', {})).body).toMatchObject({
      code: 409,
      message: 'An account may have at most 20 subscriptions. Delete one first.',
    });
  });
});
