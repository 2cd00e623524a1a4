import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { WatchledgerClient } from 'watchledger/client';
import type { ApiClient } from '../../support/api-client.ts';
import { EventStream } from '../../support/event-stream.ts';
import { TestAccounts, type TestAccount } from '../../support/test-accounts.ts';
import { type Site, startHttp } from '../../support/servers/site.ts';
import type { TestService } from '../../support/service.ts';
import { sharedService } from '../../support/shared-service.ts';

const CUT_OFF_MS = 5_000;
/** The watches' events come in between. */
const VERDICT = /^Check(Susp|Fail|Recov|Passed)/;
let service: TestService;
let site: Site;
let people: TestAccounts;
let owner: TestAccount;
let api: ApiClient;
let client: WatchledgerClient;
let projectId: string;
let testId: string;
const open: EventStream[] = [];
/** Of the whole file: a heartbeat takes longer than its tests. */
let quiet: EventStream;

beforeAll(async () => {
  site = await startHttp((_, response) => response.end('<title>Shop</title>Welcome'));
  service = await sharedService();
  people = new TestAccounts(service);
  owner = await people.register('owner');
  api = owner.api;
  client = api.client;
  projectId = await project();
  const body = { url: '/', name: 'Homepage', rules: [{ op: 'sub', val: 'Welcome' } as const] };
  testId = (await client.post('/project/{id}/tests', { path: { id: projectId }, body })).data.id;
  quiet = await EventStream.open(`${service.url}/api/project/${await project()}/live`, api.token, {});
});
afterEach(() => {
  for (const stream of open.splice(0)) stream.close();
});
afterAll(async () => {
  quiet.close();
  await people.deleteProjects();
  await site.close();
});

async function project(): Promise<string> {
  const id = await people.project(owner, site.url);
  await client.put('/project/{id}', { path: { id }, body: { period: false } });
  return id;
}
async function listen(id = projectId, token = api.token, headers: Readonly<Record<string, string>> = {}): Promise<EventStream> {
  const stream = await EventStream.open(`${service.url}/api/project/${id}/live`, token, headers);
  open.push(stream);
  return stream;
}
const history = async (query: { readonly type?: readonly string[]; readonly order?: 'asc'; readonly limit?: number }, id = projectId) =>
  (await client.get('/project/{id}/history', { path: { id }, query })).data.events;
const expectText = (val: string) => client.put('/test/{id}', { path: { id: testId }, body: { rules: [{ op: 'sub', val }] } });
const run = async (): Promise<void> => {
  await client.get('/project/{id}/start', { path: { id: projectId }, query: { tests: [testId], 'keep-alive': true } });
};

describe('the live stream', () => {
  it('streams status changes with an id and results without one', async () => {
    const stream = await listen();
    expect([stream.status, stream.contentType]).toEqual([200, 'text/event-stream; charset=utf-8']);
    await run();
    const passed = await stream.heard('CheckPassed');
    const [event] = await history({ type: ['CheckPassed'] });
    expect(passed).toEqual({ id: event?.id, type: 'CheckPassed', data: event });
    await run();
    const result = await stream.heard('result');
    expect(result).toMatchObject({ id: null, data: { testId, status: 'ok', httpStatus: 200 } });
  });

  it('resumes after Last-Event-ID without gaps or duplicates', async () => {
    const before = await listen();
    await expectText('Goodbye');
    await run();
    const suspected = await before.heard('CheckSuspected');
    before.close();
    await expectText('Welcome');
    await run();
    const after = await listen(projectId, api.token, { 'last-event-id': suspected.id ?? '' });
    await after.heard('CheckSuspicionCleared', 40_000);
    const [from] = await history({ type: ['CheckSuspected'] });
    const events = await history({ order: 'asc', limit: 1000 });
    const missed = events.filter(({ type, position }) => VERDICT.test(type) && Number(position) > Number(from?.position));
    const received = after.events.filter(({ type }) => VERDICT.test(type)).map(({ id }) => id);
    expect(received).toEqual(missed.map(({ id }) => id).slice(0, received.length));
  });

  it('refuses a Last-Event-ID that is not an event of the project', async () => {
    const [foreign] = await history({ limit: 1 }, await project());
    const other = foreign?.id ?? '';
    for (const id of ['nonsense', '00000000-0000-4000-8000-000000000000', other])
      expect((await listen(projectId, api.token, { 'last-event-id': id })).status).toBe(400);
  });

  it('requires the read right', async () => {
    const stranger = await people.register('stranger');
    expect((await listen(projectId, null)).status).toBe(401);
    expect((await listen(projectId, stranger.api.token)).status).toBe(403);
  });

  it('closes the stream when a member is removed, a token revoked or the project deleted', async () => {
    const guest = await people.register('guest');
    await people.join(projectId, owner, guest, '6');
    const token = (await api.post('/account/tokens', { name: 'live' })).body as { tid: string; token: string };
    const doomed = await project();
    const streams = [await listen(projectId, guest.api.token), await listen(projectId, token.token), await listen(doomed)];
    const stays = await listen();
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 200]);
    await api.delete(`/project/${projectId}/users`, { users: [guest.userId] });
    await api.delete(`/account/tokens/${token.tid}`);
    await api.delete(`/project/${doomed}`);
    await Promise.all(streams.map((stream) => stream.cutOff(CUT_OFF_MS)));
    expect(stays.ended).toBe(false);
  });

  it('sends a heartbeat comment', async () => {
    await quiet.commented(17_000);
  });
});
