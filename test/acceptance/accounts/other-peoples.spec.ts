import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { apiRights } from '../../../src/app/api-rights.ts';
import type { ApiClient, Answer, Json } from '../../support/api-client.ts';
import { TestAccounts, type TestAccount } from '../../support/test-accounts.ts';
import { type Site, startHttp } from '../../support/servers/site.ts';
import type { TestService } from '../../support/service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { thorough } from '../../support/thorough.ts';
import { until } from '../../support/until.ts';

interface Things {
  readonly projectId: string;
  readonly areaId: string;
  readonly testId: string;
  readonly jobId: string;
  readonly eventId: string;
  readonly windowId: string;
  readonly tid: string;
}

let service: TestService;
let people: TestAccounts;
let site: Site;
let ada: TestAccount;
let eve: TestAccount;
let adas: Things;
let eves: Things;

beforeAll(async () => {
  site = await startHttp((_, response) => void response.setHeader('content-type', 'text/html').end('<title>Site</title>'));
  service = await sharedService();
  people = new TestAccounts(service);
  [ada, eve] = await Promise.all([people.register('ada'), people.register('eve')]);
  [adas, eves] = [await things(ada), await things(eve)];
});
afterAll(async () => {
  await people.deleteProjects();
  await site.close();
});

async function things({ api }: TestAccount): Promise<Things> {
  const made = async (path: string, body: object): Promise<string> => (await api.post(path, body)).body.id as string;
  const projectId = await made('/project/create', { url: site.url, checkInterval: 'false' });
  await api.put(`/project/${projectId}`, { uptimeEnabled: 'false' });
  const areaId = await made(`/project/${projectId}/areas`, { name: 'Group' });
  const testId = await made(`/project/${projectId}/tests`, { url: '/', areaId });
  const windowId = await made(`/project/${projectId}/maintenance`, { from: '2030-01-01T00:00:00Z', to: '2030-01-01T01:00:00Z' });
  const jobId = (await api.get(`/project/${projectId}/start?keep-alive=true`)).body.jobId as string;
  await until(async () => (await api.get(`/test/${testId}`)).body.run === 'completed', 20_000, 'the end of the job');
  await until(async () => (await api.get(`/project/${projectId}`)).body.isWordPress !== null, 20_000, 'the inspection of the homepage');
  const [event] = (await api.get(`/project/${projectId}/history`)).body.events as { id: string }[];
  const { tid } = (await api.post('/account/tokens', { name: 'program' })).body;
  return { projectId, areaId, testId, jobId, windowId, tid, eventId: event?.id ?? '' };
}

/** Ids of no existing resource. */
const unknown = (): Things => {
  const id = (): string => randomBytes(12).toString('hex');
  return { ...{ projectId: id(), areaId: id(), testId: id(), jobId: id(), windowId: id(), tid: id() }, eventId: crypto.randomUUID() };
};

/** The first id of the path from `outer`, the others from `inner`. */
function pathOf(route: string, outer: Things, inner: Things): string {
  const [, noun = ''] = route.split('/');
  const first: Readonly<Record<string, string>> = { project: outer.projectId, area: outer.areaId, test: outer.testId, tests: outer.testId };
  const named: Readonly<Record<string, string>> = { ...inner };
  return route.replace(/:id/, first[noun] ?? crypto.randomUUID()).replace(/:(\w+)/g, (whole, name: string) => named[name] ?? whole);
}

type Operation = readonly [method: string, route: string];

const operations = Object.keys(apiRights).map((operation) => operation.split(' ') as [string, string]);
const ofThings = operations.filter(([, route]) => /^\/(project|area|tests?)\/:id/.test(route) && !route.endsWith('badge.svg'));
const nested = operations.filter(([, route]) => /:(areaId|jobId|eventId|windowId|tid)/.test(route) && !route.startsWith('/ops/'));

/** The operations between two readings of the state, with their names. */
const inPortions = (all: readonly Operation[], size = thorough(1, 10)): readonly (readonly [string, readonly Operation[]])[] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, nth) => {
    const portion = all.slice(nth * size, (nth + 1) * size);
    return [portion.map((operation) => operation.join(' ')).join(', '), portion];
  });

/** Everything of an account in which a change would show. */
const state = async ({ api }: TestAccount, { projectId, areaId }: Things): Promise<readonly Json[]> => {
  const read = async (path: string): Promise<Json> => (await api.get(path)).body;
  const area = await read(`/area/${areaId}`);
  const paths = [
    `/project/${projectId}`,
    `/project/${projectId}/tests`,
    `/project/${projectId}/users`,
    `/project/${projectId}/maintenance`,
  ];
  const rest = await Promise.all([...paths, `/project/${projectId}/jobs`, `/project/${projectId}/notifications`].map(read));
  const tokens = ((await read('/account/tokens')) as { tid: string }[]).map(({ tid }) => tid);
  return [{ ...area, nextRun: 0 }, ...rest, tokens];
};

const refused = ({ status, body }: Answer): readonly unknown[] => [status, body.message];

/** A body that would be accepted for a resource of one's own. */
const body = (method: string, route: string): object | undefined => {
  if (method === 'GET') return undefined;
  if (method === 'DELETE') return route.endsWith('/users') ? { users: [1] } : undefined;
  if (/\/(tests|try)$/.test(route)) return { url: '/' };
  return /\/(areas|area\/:id|test\/:id|tests\/:id|project\/:id)$/.test(route) ? { name: 'Taken over' } : {};
};

const asked = (api: ApiClient, method: string, path: string, route: string): Promise<Answer> =>
  api.send(method, path + (route.endsWith('/live') ? '?lastEventId=none' : ''), body(method, route));

describe('a resource of another account', () => {
  it.each(inPortions(ofThings))('%s refuse callers outside the project and change nothing', async (_, portion) => {
    const before = await state(ada, adas);
    for (const [method, route] of portion) {
      const answer = await asked(eve.api, method, pathOf(route, adas, adas), route);
      expect([method, route, ...refused(answer)]).toEqual([method, route, 403, 'You do not have permission to access this resource.']);
    }
    expect(await state(ada, adas)).toEqual(before);
  });

  it.each(inPortions(nested))("%s answer as for an unknown resource within the caller's own project", async (_, portion) => {
    const before = await state(ada, adas);
    for (const [method, route] of portion) {
      const [theirs, nonexistent] = [pathOf(route, eves, adas), pathOf(route, eves, unknown())];
      const answer = await asked(eve.api, method, theirs, route);
      expect([method, route, answer.status >= 403]).toEqual([method, route, true]);
      expect([method, route, ...refused(answer)]).toEqual([method, route, ...refused(await asked(eve.api, method, nonexistent, route))]);
    }
    expect(await state(ada, adas)).toEqual(before);
  });

  /** Foreign ids in bodies and queries of requests about one's own project. */
  const within: Readonly<Record<string, (names: Things) => readonly [string, string, object?]>> = {
    'a test into a group': ({ areaId }) => ['POST', `/project/${eves.projectId}/tests`, { url: '/', areaId }],
    'a test into a group by query': ({ areaId }) => ['POST', `/project/${eves.projectId}/tests?areaId=${areaId}`, { url: '/' }],
    'a test by the group alone': ({ areaId }) => ['POST', `/test?areaId=${areaId}`, { url: '/' }],
    'a test by the project in the query': ({ projectId }) => ['POST', `/test?projectId=${projectId}`, { url: '/' }],
    'a test of an own project into a group': ({ areaId }) => ['POST', `/test?projectId=${eves.projectId}&areaId=${areaId}`, { url: '/' }],
    'moving a test': ({ areaId }) => ['PUT', `/test/${eves.testId}`, { areaId }],
    'trying with a group': ({ areaId }) => ['POST', `/project/${eves.projectId}/try`, { url: '/', areaId }],
    'starting a test': ({ testId }) => ['GET', `/project/${eves.projectId}/start?tests=${testId}`],
    'starting an own test and another': ({ testId }) => ['GET', `/project/${eves.projectId}/start?tests=${eves.testId}&tests=${testId}`],
    'starting a test of an own group': ({ testId }) => ['GET', `/project/${eves.projectId}/start/area/${eves.areaId}?tests=${testId}`],
    'cancelling a window by query': ({ windowId }) => ['DELETE', `/project/${eves.projectId}/maintenance?id=${windowId}`],
    'cancelling a window by body': ({ windowId }) => ['DELETE', `/project/${eves.projectId}/maintenance`, { id: windowId }],
    'going on after an event': ({ eventId }) => ['GET', `/project/${eves.projectId}/live?lastEventId=${eventId}`],
  };

  it.each(Object.entries(within))('%s answers as for an unknown resource', async (_, request) => {
    const before = [await state(ada, adas), await state(eve, eves)];
    const send = ([method, path, given]: readonly [string, string, object?]): Promise<Answer> => eve.api.send(method, path, given);
    const answer = await send(request(adas));
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(refused(answer)).toEqual(refused(await send(request(unknown()))));
    expect([await state(ada, adas), await state(eve, eves)]).toEqual(before);
  });

  it('refuses the cursor of another list', async () => {
    for (const list of ['history', 'jobs'] as const) {
      await ada.api.get(`/project/${adas.projectId}/start?keep-alive=true`);
      const cursor = (await ada.api.get(`/project/${adas.projectId}/${list}?limit=1`)).body.nextCursor as string;
      const { text } = await eve.api.get(`/project/${eves.projectId}/${list}?limit=1000&cursor=${cursor}`);
      expect([list, text.includes(adas.projectId), text.includes(adas.jobId)]).toEqual([list, false, false]);
    }
    const cursor = (await ada.api.get(`/test/${adas.testId}/results?limit=1`)).body.nextCursor as string | null;
    if (cursor !== null) expect((await eve.api.get(`/test/${eves.testId}/results?cursor=${cursor}`)).status).toBe(400);
  });

  it('appears in no list, and its users in no search', async () => {
    expect((await eve.api.get('/projects?limit=1000')).text).not.toContain(adas.projectId);
    expect((await eve.api.get(`/projects?search=${encodeURIComponent(site.url)}`)).text).not.toContain(adas.projectId);
    expect((await eve.api.get(`/accounts?search=${ada.email}`)).status).toBe(403);
    expect((await eve.api.get('/account/deliveries')).text).not.toContain(adas.projectId);
  });
});
