import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ApiError, type Schemas, type WatchledgerClient } from 'watchledger/client';
import { watchledger } from '../../support/command-line.ts';
import { hasPython } from '../../support/follow-script.ts';
import { startConsumeScript } from '../../support/consume-script.ts';
import { PASSWORD, TestAccounts, type TestAccount } from '../../support/test-accounts.ts';
import type { TestService } from '../../support/service.ts';
import { sharedService, startBesideShared } from '../../support/shared-service.ts';
import { until } from '../../support/until.ts';
import { isRelease } from '../../support/thorough.ts';

type Deliveries = Schemas['SubscriptionPage']['deliveries'];

let service: TestService;
let beside: TestService;
let people: TestAccounts;
let owner: TestAccount;
let client: WatchledgerClient;
let guest: TestAccount;
let projectId: string;
let otherId: string;
let name: string;
let names = 0;

beforeAll(async () => {
  service = await sharedService();
  beside = await startBesideShared();
  people = new TestAccounts(service);
  owner = await people.register('owner');
  guest = await people.register('guest');
  ({ client } = owner.api);
  projectId = await people.project(owner);
  otherId = await people.project(owner, 'https://example.org');
  await people.join(projectId, owner, guest, '6');
});
afterAll(async () => {
  await people.deleteProjects();
  await beside.stop();
});
beforeEach(() => {
  name = `s${String(++names)}`;
});

const rename = (title: string, id = projectId) => client.put('/project/{id}', { path: { id }, body: { title } });
const renames = { filter: { types: ['ProjectRenamed'] }, from: 'now' };
const put = async (body: Schemas['SubscriptionSettings'], by = client) =>
  (await by.put('/subscriptions/{name}', { path: { name }, body })).data;
const state = async () => (await client.get('/subscriptions/{name}', { path: { name } })).data;
const read = async (body: Partial<Schemas['SubscriptionRead']> = {}, by = client): Promise<Deliveries> => {
  const asked = { path: { name }, body: { consumer: 'a', ...body }, timeoutMs: 90_000 };
  return (await by.post('/subscriptions/{name}/read', asked)).data.deliveries;
};
const ack = async (tokens: readonly string[]) =>
  (await client.post('/subscriptions/{name}/ack', { path: { name }, body: { tokens } })).data;
const nack = (deliveries: Deliveries, refusal: Omit<Schemas['SubscriptionNack'], 'tokens'>) =>
  client.post('/subscriptions/{name}/nack', { path: { name }, body: { tokens: tokens(deliveries), ...refusal } });
const titles = (deliveries: Deliveries): readonly unknown[] => deliveries.map(({ event }) => event.data['to']);
const tokens = (deliveries: Deliveries): readonly string[] => deliveries.map(({ token }) => token);

async function refusalOf(work: Promise<unknown>): Promise<ApiError> {
  const error = await work.then(
    () => null,
    (refusal: unknown) => refusal,
  );
  if (error instanceof ApiError) return error;
  throw new Error('it was not refused', { cause: error });
}
const statusOf = async (work: Promise<unknown>): Promise<number> => (await refusalOf(work)).status;

async function tokenOf(limits: Omit<Schemas['NewToken'], 'name'>): Promise<{ readonly client: WatchledgerClient; readonly tid: string }> {
  const { token, tid } = (await client.post('/account/tokens', { body: { name: 'limited', password: PASSWORD, ...limits } })).data;
  return { client: client.with({ token }), tid };
}

describe('a subscription', () => {
  it('delivers the events of the projects of its owner, one of each project at a time, until they are acknowledged', async () => {
    await rename('before it');
    const { position, head, ...made } = await put(renames);
    // The checker may append between the reading of the position and that of the head.
    expect(made).toMatchObject({ name, filter: { types: ['ProjectRenamed'], scopes: null }, gap: Number(head) - Number(position) });
    for (const title of ['one', 'two']) await rename(title);
    await rename('elsewhere', otherId);
    const first = await read();
    expect(titles(first)).toEqual(['one', 'elsewhere']);
    expect(await state()).toMatchObject({ inFlight: 2, waiting: 1, consumers: [{ name: 'a', inFlight: 2 }] });
    expect(await ack(tokens(first))).toEqual({ done: 2, stale: [] });
    expect(await ack([...tokens(first), '17'])).toEqual({ done: 0, stale: [...tokens(first), '17'] });
    const second = await read();
    expect(titles(second)).toEqual(['two']);
    await ack(tokens(second));
    const all = await client.list('/subscriptions').all();
    expect(all.find((one) => one.name === name)).toMatchObject({ inFlight: 0, waiting: 0, parked: 0 });
  });

  it('survives a crash of the service between read and acknowledgement, and continues through another instance', async () => {
    await put({ ...renames, ackSeconds: 2 });
    await rename('before the crash');
    const lost = await read({}, client.with({ baseUrl: beside.url }));
    await beside.kill();
    const again = await read({ consumer: 'b', wait: 20 });
    expect(titles(again)).toEqual(['before the crash']);
    expect([again[0]?.attempt, Number(tokens(again)[0]) > Number(tokens(lost)[0])]).toEqual([2, true]);
    expect(await ack([...tokens(lost), ...tokens(again)])).toEqual({ done: 1, stale: tokens(lost) });
  });

  it('answers a waiting consumer when an event comes, and when another one acknowledges', async () => {
    await put(renames);
    const waiting = read({ wait: 30 });
    await rename('for a waiting consumer');
    const first = await waiting;
    expect(titles(first)).toEqual(['for a waiting consumer']);
    await rename('behind it');
    const blocked = read({ wait: 30 });
    await ack(tokens(first));
    expect(titles(await blocked)).toEqual(['behind it']);
  });

  it('retries after a pause, parks with a reason, and replays', async () => {
    await put(renames);
    await rename('to be retried');
    await nack(await read(), { action: 'retry' });
    const again = await read({ wait: 10 });
    expect([titles(again), again[0]?.attempt]).toEqual([['to be retried'], 2]);
    await nack(again, { action: 'park', reason: 'no such customer' });
    const parked = await client.list('/subscriptions/{name}/parked', { path: { name } }).all();
    expect(parked).toMatchObject([{ reason: 'no such customer', attempts: 2, event: { data: { to: 'to be retried' } } }]);
    expect((await client.post('/subscriptions/{name}/parked/replay', { path: { name }, body: {} })).data).toEqual({ replayed: 1 });
    const replayed = await read();
    expect(titles(replayed)).toEqual(['to be retried']);
    await nack(replayed, { action: 'park' });
    const discard = () => client.delete('/subscriptions/{name}/parked/{position}', { path: { name, position: parked[0]?.position ?? '' } });
    expect([(await discard()).status, await statusOf(discard())]).toEqual([200, 404]);
  });

  it('begins again where it is reset to, also while a consumer waits', async () => {
    await put(renames);
    const { position } = await state();
    await rename('read twice');
    await ack(tokens(await read()));
    const waiting = read({ wait: 30 });
    const reset = await client.post('/subscriptions/{name}/reset', { path: { name }, body: { to: position } });
    expect(reset.data).toMatchObject({ position, inFlight: 0 });
    expect(titles(await waiting)).toEqual(['read twice']);
  });

  it('leaves out projects that its owner may not read any more, and refuses when none is left', async () => {
    const ofGuest = guest.api.client;
    await put({ ...renames, filter: { types: ['ProjectRenamed'], scopes: [`project-${projectId}`] } }, ofGuest);
    await rename('read by the guest');
    expect(titles(await read({}, ofGuest))).toEqual(['read by the guest']);
    const waiting = statusOf(read({ consumer: 'b', wait: 30 }, ofGuest));
    await client.delete('/project/{id}/users', { path: { id: projectId }, body: { users: [guest.userId] } });
    await rename('after the guest');
    expect(await waiting).toBe(403);
    expect(await statusOf(ofGuest.get('/subscriptions/{name}/parked', { path: { name } }))).toBe(403);
    await put({ filter: { scopes: null } }, ofGuest);
    expect(await read({}, ofGuest)).toEqual([]);
  });

  it('belongs to one account, and shows nothing of those of others', async () => {
    await put(renames);
    const [ofGuest, path] = [guest.api.client, { name }];
    for (const foreign of [
      ofGuest.get('/subscriptions/{name}', { path }),
      ofGuest.delete('/subscriptions/{name}', { path }),
      ofGuest.get('/subscriptions/{name}/parked', { path }),
      ofGuest.post('/subscriptions/{name}/ack', { path, body: { tokens: ['1'] } }),
    ])
      expect(await statusOf(foreign)).toBe(404);
    expect(await statusOf(put({ filter: { scopes: [`project-${otherId}`] } }, ofGuest))).toBe(403);
    expect(await statusOf(put({ filter: { scopes: ['system'] } }))).toBe(403);
  });

  it('is hidden from tokens that are limited to less, which cannot take it over', async () => {
    await put(renames);
    const ofOther = (await tokenOf({ scopes: ['feed'], projects: [otherId] })).client;
    expect(await ofOther.list('/subscriptions').all()).toEqual([]);
    expect(await statusOf(ofOther.delete('/subscriptions/{name}', { path: { name } }))).toBe(404);
    expect(await statusOf(put({ filter: { scopes: [`project-${otherId}`] } }, ofOther))).toBe(403);
    name = `${name}-own`;
    await put({ ...renames, filter: { ...renames.filter, scopes: [`project-${otherId}`] } }, ofOther);
    await rename('for the limited token', otherId);
    expect(titles(await read({}, ofOther))).toContain('for the limited token');
    const withoutFeed = (await tokenOf({ scopes: ['read'] })).client;
    expect(await refusalOf(withoutFeed.get('/subscriptions'))).toMatchObject({ status: 403, body: { scope: 'feed' } });
  });

  it('answers a waiting consumer whose token is revoked, without an event', async () => {
    await put(renames);
    const limited = await tokenOf({ scopes: ['feed'] });
    const waiting = statusOf(read({ wait: 60 }, limited.client));
    await until(async () => (await state()).consumers.length === 1, 10_000, 'the consumer');
    const revokedAt = performance.now();
    await client.delete('/account/tokens/{tid}', { path: { tid: limited.tid } });
    expect([await waiting, performance.now() - revokedAt < 30_000]).toEqual([403, true]);
  });

  it('gives each of two consumers of one name their own events', async () => {
    await put(renames);
    for (const id of [projectId, otherId]) await rename('for two of one name', id);
    const pages = [await read({ limit: 1 }), await read({ limit: 1 })];
    expect(pages.map(titles)).toEqual([['for two of one name'], ['for two of one name']]);
    expect(new Set(pages.map(([delivery]) => delivery?.event.scope)).size).toBe(2);
    expect((await state()).consumers).toMatchObject([{ name: 'a', inFlight: 2 }]);
    for (const page of pages) expect(await ack(tokens(page))).toEqual({ done: 1, stale: [] });
  });

  if (isRelease)
    it('keeps its position, what is in flight and what is parked over a rebuild of the read models', async () => {
      await put({ ...renames, ackSeconds: 300 });
      for (const title of ['in flight', 'behind it']) await rename(title);
      const first = await read();
      await rename('of another project', otherId);
      await nack(await read(), { action: 'park', reason: 'later' });
      const { position, inFlight, waiting, parked } = await state();
      const ofService = { DATABASE_URL: service.database.url, MASTER_KEY: service.masterKey };
      expect(await watchledger(ofService, 'projections', 'rebuild', 'project', '--wait').ran).toMatchObject({ status: 0 });
      expect(await state()).toMatchObject({ position, inFlight, waiting, parked });
      expect(await ack(tokens(first))).toEqual({ done: 1, stale: [] });
      expect(titles(await read())).toEqual(['behind it']);
    });

  (hasPython ? it : it.skip)('is read by the program of docs/subscriptions.md, which parks what it cannot handle', async () => {
    name = 'tickets';
    await put(renames);
    const token = (await client.post('/account/tokens', { body: { name: 'consumer', scopes: ['feed'], password: PASSWORD } })).data.token;
    const consumer = startConsumeScript(service.url, token, 'refused');
    try {
      for (const title of ['handled', 'refused', 'handled later']) await rename(title);
      await until(async () => (await state()).gap === 0 && (await state()).inFlight === 0, 20_000, 'the end of the log');
      expect(consumer.handled()).toEqual(['handled', 'handled later']);
      const parked = await client.list('/subscriptions/{name}/parked', { path: { name } }).all();
      expect(parked).toMatchObject([{ consumer: 'worker-1', reason: 'no such customer', event: { data: { to: 'refused' } } }]);
    } finally {
      await consumer.stop();
    }
  });

  it('keeps the first answer to a read that is repeated with its Idempotency-Key', async () => {
    await put(renames);
    await rename('once');
    const readOnce = () =>
      client.post('/subscriptions/{name}/read', { path: { name }, body: { consumer: 'a' }, idempotencyKey: 'the-same-read' });
    const { data } = await readOnce();
    expect(data.deliveries).toHaveLength(1);
    expect((await readOnce()).data).toEqual(data);
  });

  it.each([
    [{ from: '999999999999' }, /from: is beyond the end of the log/],
    [{ from: 'yesterday' }, /from: must be the position/],
    [{ filter: { types: ['CheckFaild'] } }, /filter.types: there is no event CheckFaild; did you mean CheckFailed/],
    [{ partition: 'customer' }, /partition: must be one of project, stream, none/],
    [{ maxInFlight: 0 }, /maxInFlight: must be a whole number from 1 to 5000/],
    [{ ackSeconds: 4_000 }, /ackSeconds: must be a whole number from 1 to 3600/],
  ])('refuses %p', async (body, message) => {
    const answer = await owner.api.put(`/subscriptions/${name}`, body);
    expect([answer.status, answer.body.message]).toEqual([400, expect.stringMatching(message)]);
  });

  it('refuses a name that is none, and more subscriptions than allowed', async () => {
    name = 'a b';
    expect(await statusOf(put({}))).toBe(400);
    const made = async (number: number): Promise<ApiError | null> => {
      name = `many-${String(number)}`;
      return put(renames).then(
        () => null,
        (error: unknown) => error as ApiError, // what the client throws
      );
    };
    let refusal: ApiError | null = null;
    for (let number = 0; refusal === null && number < 21; number++) refusal = await made(number);
    expect([refusal?.status, refusal?.message]).toEqual([409, 'An account may have at most 20 subscriptions. Delete one first.']);
  });
});
