import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiClient, Json } from '../../support/api-client.ts';
import { TestAccounts, type TestAccount } from '../../support/test-accounts.ts';
import { TestService } from '../../support/service.ts';
import { until } from '../../support/until.ts';

const env = { REGISTRATION: 'open', RATE_LIMIT: '0', ROLES: 'api,projector' };
let service: TestService;
let people: TestAccounts;
let owner: TestAccount;
let guest: TestAccount;
let api: ApiClient;
let projectId: string;
let areaId: string;
let testId: string;

beforeAll(async () => {
  service = await TestService.start({ env });
  people = new TestAccounts(service);
  owner = await people.register('owner');
  guest = await people.register('guest');
  api = owner.api;
  projectId = await people.project(owner);
  areaId = (await api.post(`/project/${projectId}/areas`, { name: 'Shop' })).body.id as string;
  testId = (await api.post(`/project/${projectId}/tests`, { areaId, url: '/a', name: 'A' })).body.id as string;
});
afterAll(() => service.stop());

const head = async (): Promise<string> => (await api.get(`/project/${projectId}/history?limit=1`)).body.events[0].position as string;
const compare = async (from: string, to: string): Promise<Json[]> => {
  const answer = await api.get(`/project/${projectId}/compare?from=${from}&to=${to}`);
  expect([answer.status, answer.body.from, answer.body.to]).toEqual([200, from, to]);
  return answer.body.changes as Json[];
};
const typesOf = async (ids: readonly string[]): Promise<readonly string[]> => {
  const { events } = (await api.get(`/project/${projectId}/history?limit=1000&order=asc`)).body as { events: Json[] };
  return events.filter(({ id }) => ids.includes(id as string)).map(({ type }) => type as string);
};

describe('GET /project/{id}/compare', () => {
  it('lists differences field by field with the events that caused them', async () => {
    const before = await head();
    await api.put(`/project/${projectId}`, { title: 'One', delay: 7 });
    await api.put(`/project/${projectId}`, { title: 'Two' });
    await api.put(`/test/${testId}`, { enabled: false });
    await api.put(`/area/${areaId}`, { name: 'Store', httpAuth: { user: 'u', password: 'canary-password' } });
    await people.join(projectId, owner, guest, '6');
    const middle = await head();
    await api.put(`/project/${projectId}/users/${String(guest.userId)}`, { role: '5' });
    const changes = await compare(before, middle);
    const at = (path: string): Json => changes.find((change) => change.path === path);
    expect(at('project.delay')).toMatchObject({ from: 50, to: 7 });
    expect(at('project.title')).toMatchObject({ to: 'Two' });
    expect(await typesOf(at('project.title').events as string[])).toEqual(['ProjectRenamed', 'ProjectRenamed']);
    expect(at(`tests/${testId}.enabled`)).toMatchObject({ from: true, to: false });
    expect(await typesOf(at(`tests/${testId}.enabled`).events as string[])).toEqual(['CheckSwitched']);
    expect(at(`areas/${areaId}.name`)).toMatchObject({ from: 'Shop', to: 'Store' });
    expect(at(`areas/${areaId}.httpAuth.password`)).toMatchObject({ from: null, to: '(hidden)' });
    expect(at(`users/${String(guest.userId)}`)).toMatchObject({ from: null, to: { role: '6', isPayer: false } });
    for (const { events } of changes) expect(events).not.toHaveLength(0);
    expect(JSON.stringify(changes)).not.toContain('canary');
    const [role] = await compare(middle, await head());
    expect(role).toMatchObject({ path: `users/${String(guest.userId)}.role`, from: '6', to: '5' });
    expect(await typesOf(role.events as string[])).toEqual(['MemberRoleChanged']);
  });

  it('answers a page of so many events at a time, each from where the one before it ended', async () => {
    const before = await head();
    for (const title of ['P1', 'P2', 'P3', 'P4', 'P5']) await api.put(`/project/${projectId}`, { title });
    const path = `/project/${projectId}/compare?from=${before}&to=${await head()}`;
    const pages: Json[] = [];
    for (let cursor = ''; pages.length < 9; cursor = `&cursor=${String(pages.at(-1)?.nextCursor)}`) {
      const { status, body } = await api.get(`${path}&limit=2${cursor}`);
      expect(status).toBe(200);
      pages.push(body);
      if (body.nextCursor === null) break;
    }
    const changes = pages.flatMap((page) => page.changes as Json[]);
    expect(changes.map(({ to }) => to as string)).toEqual(['P2', 'P4', 'P5']);
    expect(changes.map(({ from }) => from as string).slice(1)).toEqual(['P2', 'P4']);
    expect(changes.map(({ events }) => (events as string[]).length)).toEqual([2, 2, 1]);
    for (const wrong of ['limit=0', 'limit=1001', 'cursor=x', `cursor=${Buffer.from('["compare","",0,""]').toString('base64url')}`])
      expect([wrong, (await api.get(`${path}&${wrong}`)).status]).toEqual([wrong, 400]);
    const { body: whole } = await api.get(path);
    expect(whole).toMatchObject({ changes: [{ path: 'project.title', to: 'P5' }], nextCursor: null });
  });

  it('answers 500 events of a longer history, and the cursor of the next page', async () => {
    const { api: other } = await people.register('rewriter');
    const long = (await other.get('/project/create?url=https://long.example.com')).body.id as string;
    const from = (await other.get(`/project/${long}/history?limit=1`)).body.events[0].position as string;
    const { pool } = service.database;
    const last = 'SELECT revision, meta FROM log WHERE stream = $1 ORDER BY revision DESC LIMIT 1';
    const { rows } = await pool.query<{ revision: string; meta: string }>(last, [`project-${long}`]);
    await pool.query(
      `SELECT append_one($1, $2::bigint + i - 1, gen_random_uuid(), 'ProjectRenamed', 1::smallint, $1, '{"from":"","to":"T' || i || '"}', $3)
       FROM generate_series(1, 501) AS i`,
      [`project-${long}`, rows[0]?.revision, rows[0]?.meta],
    );
    await until(async () => (await other.get(`/project/${long}`)).body.title === 'T501', 10_000, 'the last title');
    const path = `/project/${long}/compare?from=${from}`;
    const { body } = await other.get(path);
    expect(body.changes).toMatchObject([{ path: 'project.title', to: 'T500', events: { length: 500 } }]);
    const { body: rest } = await other.get(`${path}&cursor=${String(body.nextCursor)}`);
    expect(rest).toMatchObject({ changes: [{ from: 'T500', to: 'T501' }], nextCursor: null });
  });

  it('omits a field that was changed and changed back', async () => {
    const before = await head();
    await api.put(`/project/${projectId}`, { timeout: 9 });
    await api.put(`/project/${projectId}`, { timeout: 3 });
    expect(await compare(before, await head())).toEqual([]);
  });

  it('accepts instants and compares with the present when no end is given', async () => {
    const from = new Date().toISOString();
    await new Promise((resolve) => setTimeout(resolve, 20));
    await api.delete(`/test/${testId}`);
    const { body } = await api.get(`/project/${projectId}/compare?from=${from}`);
    expect(body.changes).toMatchObject([{ path: `tests/${testId}`, from: { name: 'A', enabled: false }, to: null }]);
    expect(await typesOf(body.changes[0].events as string[])).toEqual(['CheckDeleted']);
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
