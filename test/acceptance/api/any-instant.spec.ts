import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiClient, Json } from '../../support/api-client.ts';
import { TestAccounts, type TestAccount } from '../../support/test-accounts.ts';
import { TestService } from '../../support/service.ts';

const env = { REGISTRATION: 'open', RATE_LIMIT: '0', ROLES: 'api,projector' };
let service: TestService;
let owner: TestAccount;
let people: TestAccounts;
let api: ApiClient;
let projectId: string;
let areaId: string;

beforeAll(async () => {
  service = await TestService.start({ env });
  people = new TestAccounts(service);
  owner = await people.register('owner');
  api = owner.api;
  projectId = await people.project(owner);
  areaId = (await api.post(`/project/${projectId}/areas`, { name: 'Shop' })).body.id as string;
});
afterAll(() => service.stop());

const head = async (): Promise<string> => (await api.get(`/project/${projectId}/history?limit=1`)).body.events[0].position as string;
const paths = (): readonly string[] =>
  ['', '/areas', '/tests', '/users', '/status', '/simple-status', '/notifications'].map((path) => `/project/${projectId}${path}`);
/** Fields that depend on the clock differ between two reads. */
const timeless = (text: string): string => text.replace(/"(now|nextRun|sslDaysLeft)":-?\d+/g, '"$1":0');

describe('asOf', () => {
  it('answers byte for byte as at that instant, despite later changes', async () => {
    const guest = await people.register('guest');
    const steps: (() => Promise<unknown>)[] = [
      () => api.put(`/project/${projectId}`, { title: 'Renamed', period: '1 hour' }),
      () => api.post(`/project/${projectId}/tests`, { areaId, url: '/a', name: 'A', rules: [{ op: 'sub', val: 'x' }] }),
      () => people.join(projectId, owner, guest, '6'),
      () => api.post(`/project/${projectId}/tests`, { areaId, url: '/b', name: 'B', options: { g: true, w: 'X-A: 1' } }),
      () => api.post(`/project/${projectId}/notifications`, { severity: 3, slack: true }),
      () => api.put(`/area/${areaId}`, { name: 'Store', rules: [{ type: 'status', op: 'eq', val: '200' }] }),
      () => api.put(`/project/${projectId}/users/${String(guest.userId)}`, { role: '5' }),
      async () => {
        const [test] = (await api.get(`/project/${projectId}/tests`)).body as Json[];
        await api.delete(`/test/${test.id as string}`);
      },
      () => api.delete(`/project/${projectId}/users`, { users: [guest.userId] }),
      () => api.put(`/project/${projectId}`, { title: 'Again', delay: 7 }),
    ];
    const remembered: { readonly position: string; readonly path: string; readonly text: string }[] = [];
    for (const step of steps) {
      await step();
      const position = await head();
      for (const path of paths()) remembered.push({ position, path, text: (await api.get(path)).text });
    }
    for (const { position, path, text } of remembered) {
      const answer = await api.get(`${path}?asOf=${position}`);
      expect([path, position, answer.status, timeless(answer.text)]).toEqual([path, position, 200, timeless(text)]);
      expect(answer.headers.get('watchledger-as-of')).toBe(position);
    }
  });

  it('accepts a time as well as a position', async () => {
    const before = new Date().toISOString();
    await new Promise((resolve) => setTimeout(resolve, 20));
    await api.put(`/project/${projectId}`, { title: 'Later' });
    expect((await api.get(`/project/${projectId}?asOf=${before}`)).body.title).not.toBe('Later');
    expect((await api.get(`/project/${projectId}`)).body.title).toBe('Later');
  });

  it('accepts the position or time of an event and includes that event', async () => {
    await api.put(`/project/${projectId}`, { title: 'To the microsecond' });
    const [event] = (await api.get(`/project/${projectId}/history?limit=1`)).body.events as Json[];
    const { recordedAt, position, id } = event as { recordedAt: string; position: string; id: string };
    const before = String(Number(position) - 1);
    const asked = await api.get(`/project/${projectId}?asOf=${recordedAt}`);
    expect([asked.body.title, asked.headers.get('watchledger-as-of')]).toEqual(['To the microsecond', position]);
    const { body: compared } = await api.get(`/project/${projectId}/compare?from=${before}&to=${recordedAt}`);
    expect(compared.changes).toContainEqual(expect.objectContaining({ path: 'project.title', events: [id] }));
    const history = (span: string) => api.get(`/project/${projectId}/history?order=asc&${span}`);
    expect((await history(`from=${recordedAt}&to=${recordedAt}`)).body.events.map((one: Json) => one.id)).toEqual([id]);
    const { text: exported } = await api.get(`/project/${projectId}/history/export?from=${recordedAt}&to=${recordedAt}`);
    expect(
      exported
        .trim()
        .split('\n')
        .slice(1)
        .map((line) => JSON.parse(line).index),
    ).toEqual([Number(position)]);
  });

  it('shows a test that was deleted later', async () => {
    const { body } = await api.post(`/project/${projectId}/tests`, { areaId, url: '/deleted', name: 'Deleted' });
    const position = await head();
    await api.delete(`/test/${body.id as string}`);
    expect((await api.get(`/test/${body.id as string}`)).status).toBe(403);
    expect((await api.get(`/test/${body.id as string}?asOf=${position}`)).body).toMatchObject({ id: body.id, name: 'Deleted' });
  });

  it('answers as for an unknown project before the project existed', async () => {
    expect((await api.get(`/project/${projectId}?asOf=0`)).status).toBe(404);
    expect((await api.get(`/project/${projectId}/tests?asOf=0`)).status).toBe(403);
    expect((await api.get(`/project/${projectId}?asOf=0001-01-01T00:00:00Z`)).status).toBe(404);
  });

  it.each(['tomorrow', '2999-01-01T00:00:00Z', '999999999', '2026-01-01', '-1', '0000-01-01T00:00:00Z', '9999-12-31T23:59:59-14:00'])(
    'refuses %s',
    async (asOf) => {
      expect((await api.get(`/project/${projectId}?asOf=${asOf}`)).status).toBe(400);
    },
  );

  it('checks the present rights of the caller', async () => {
    const stranger = await people.register('stranger');
    expect((await stranger.api.get(`/project/${projectId}?asOf=${await head()}`)).status).toBe(403);
  });
});
