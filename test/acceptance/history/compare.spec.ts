import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Schemas, WatchledgerClient } from 'watchledger/client';
import type { ApiClient } from '../../support/api-client.ts';
import { TestAccounts, type TestAccount } from '../../support/test-accounts.ts';
import { TestService } from '../../support/service.ts';
import { until } from '../../support/until.ts';

// Long histories are written into the log, without the API.
const env = { REGISTRATION: 'open', RATE_LIMIT: '0', ROLES: 'api,projector', EVENTSTORE_URL: '' };
let service: TestService;
let people: TestAccounts;
let owner: TestAccount;
let guest: TestAccount;
let api: ApiClient;
let client: WatchledgerClient;
let projectId: string;
let areaId: string;
let testId: string;

beforeAll(async () => {
  service = await TestService.start({ env });
  people = new TestAccounts(service);
  owner = await people.register('owner');
  guest = await people.register('guest');
  api = owner.api;
  client = api.client;
  projectId = await people.project(owner);
  const path = { id: projectId };
  areaId = (await client.post('/project/{id}/areas', { path, body: { name: 'Shop' } })).data.id;
  testId = (await client.post('/project/{id}/tests', { path, body: { areaId, url: '/a', name: 'A' } })).data.id;
});
afterAll(() => service.stop());

const change = (body: Schemas['ProjectChange']) => client.put('/project/{id}', { path: { id: projectId }, body });
const headOf = async (id: string, by = client): Promise<string> =>
  (await by.get('/project/{id}/history', { path: { id }, query: { limit: 1 } })).data.events[0]?.position ?? '';
const head = (): Promise<string> => headOf(projectId);
const page = async (
  query: { readonly from: string; readonly to?: string; readonly limit?: number; readonly cursor?: string },
  id = projectId,
  by = client,
) => (await by.get('/project/{id}/compare', { path: { id }, query })).data;
const compare = async (from: string, to: string) => {
  const answer = await page({ from, to });
  expect([answer.from, answer.to]).toEqual([from, to]);
  return answer.changes;
};
const typesOf = async (ids: readonly string[] = []): Promise<readonly string[]> => {
  const { events } = (await client.get('/project/{id}/history', { path: { id: projectId }, query: { limit: 1000, order: 'asc' } })).data;
  return events.filter(({ id }) => ids.includes(id)).map(({ type }) => type);
};

describe('GET /project/{id}/compare', () => {
  it('lists differences field by field with the events that caused them', async () => {
    const before = await head();
    await change({ title: 'One', delay: 7 });
    await change({ title: 'Two' });
    await client.put('/test/{id}', { path: { id: testId }, body: { enabled: false } });
    const store = { name: 'Store', httpAuth: { user: 'u', password: 'canary-password' } };
    await client.put('/area/{id}', { path: { id: areaId }, body: store });
    await people.join(projectId, owner, guest, '6');
    const middle = await head();
    await client.put('/project/{id}/users/{userId}', { path: { id: projectId, userId: String(guest.userId) }, body: { role: '5' } });
    const changes = await compare(before, middle);
    const at = (path: string) => changes.find((one) => one.path === path);
    expect(at('project.delay')).toMatchObject({ from: 50, to: 7 });
    expect(at('project.title')).toMatchObject({ to: 'Two' });
    expect(await typesOf(at('project.title')?.events)).toEqual(['ProjectRenamed', 'ProjectRenamed']);
    expect(at(`tests/${testId}.enabled`)).toMatchObject({ from: true, to: false });
    expect(await typesOf(at(`tests/${testId}.enabled`)?.events)).toEqual(['CheckSwitched']);
    expect(at(`areas/${areaId}.name`)).toMatchObject({ from: 'Shop', to: 'Store' });
    expect(at(`areas/${areaId}.httpAuth.password`)).toMatchObject({ from: null, to: '(hidden)' });
    expect(at(`users/${String(guest.userId)}`)).toMatchObject({ from: null, to: { role: '6', isPayer: false } });
    for (const { events } of changes) expect(events).not.toHaveLength(0);
    expect(JSON.stringify(changes)).not.toContain('canary');
    const [role] = await compare(middle, await head());
    expect(role).toMatchObject({ path: `users/${String(guest.userId)}.role`, from: '6', to: '5' });
    expect(await typesOf(role?.events)).toEqual(['MemberRoleChanged']);
  });

  it('answers a page of so many events at a time, each from where the one before it ended', async () => {
    const from = await head();
    for (const title of ['P1', 'P2', 'P3', 'P4', 'P5']) await change({ title });
    const span = { from, to: await head() };
    const pages = [await page({ ...span, limit: 2 })];
    for (let cursor = pages[0]?.nextCursor ?? null; cursor !== null && pages.length < 9; cursor = pages.at(-1)?.nextCursor ?? null)
      pages.push(await page({ ...span, limit: 2, cursor }));
    const changes = pages.flatMap((one) => one.changes);
    expect(changes.map(({ to }) => to)).toEqual(['P2', 'P4', 'P5']);
    expect(changes.map((one) => one.from).slice(1)).toEqual(['P2', 'P4']);
    expect(changes.map(({ events }) => events.length)).toEqual([2, 2, 1]);
    const path = `/project/${projectId}/compare?from=${span.from}&to=${span.to}`;
    for (const wrong of ['limit=0', 'limit=1001', 'cursor=x', `cursor=${Buffer.from('["compare","",0,""]').toString('base64url')}`])
      expect([wrong, (await api.get(`${path}&${wrong}`)).status]).toEqual([wrong, 400]);
    expect(await page(span)).toMatchObject({ changes: [{ path: 'project.title', to: 'P5' }], nextCursor: null });
  });

  it('answers 500 events of a longer history, and the cursor of the next page', async () => {
    const rewriter = await people.register('rewriter');
    const { client: other } = rewriter.api;
    const long = await people.project(rewriter, 'https://long.example.com');
    const from = await headOf(long, other);
    const { pool } = service.database;
    const last = 'SELECT revision, meta FROM log WHERE stream = $1 ORDER BY revision DESC LIMIT 1';
    const { rows } = await pool.query<{ revision: string; meta: string }>(last, [`project-${long}`]);
    await pool.query(
      `SELECT append_one($1, $2::bigint + i - 1, gen_random_uuid(), 'ProjectRenamed', 1::smallint, $1, '{"from":"","to":"T' || i || '"}', $3)
       FROM generate_series(1, 501) AS i`,
      [`project-${long}`, rows[0]?.revision, rows[0]?.meta],
    );
    const title = async (): Promise<string> => (await other.get('/project/{id}', { path: { id: long } })).data.title;
    await until(async () => (await title()) === 'T501', 10_000, 'the last title');
    const first = await page({ from }, long, other);
    expect(first.changes).toMatchObject([{ path: 'project.title', to: 'T500', events: { length: 500 } }]);
    const rest = await page({ from, cursor: first.nextCursor ?? '' }, long, other);
    expect(rest).toMatchObject({ changes: [{ from: 'T500', to: 'T501' }], nextCursor: null });
  });

  it('omits a field that was changed and changed back', async () => {
    const before = await head();
    await change({ timeout: 9 });
    await change({ timeout: 3 });
    expect(await compare(before, await head())).toEqual([]);
  });

  it('accepts instants and compares with the present when no end is given', async () => {
    const from = new Date().toISOString();
    await new Promise((resolve) => setTimeout(resolve, 20));
    await client.delete('/test/{id}', { path: { id: testId } });
    const { changes } = await page({ from });
    expect(changes).toMatchObject([{ path: `tests/${testId}`, from: { name: 'A', enabled: false }, to: null }]);
    expect(await typesOf(changes[0]?.events)).toEqual(['CheckDeleted']);
    const all = await compare('0', await head());
    expect(all[0]).toMatchObject({ path: 'project', from: null });
  });

  it.each(['', '?from=tomorrow', '?from=5&to=1', '?from=0&to=999999999', '?from=0&to=2999-01-01T00:00:00Z', '?from=0&nope=1'])(
    'refuses "%s"',
    async (query) => {
      expect((await api.get(`/project/${projectId}/compare${query}`)).status).toBe(400);
    },
  );

  it('requires the read right', async () => {
    const stranger = await people.register('stranger');
    expect((await stranger.api.get(`/project/${projectId}/compare?from=0`)).status).toBe(403);
  });
});
