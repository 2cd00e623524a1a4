import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { ApiClient, Json } from '../../support/api-client.ts';
import { description } from '../../support/description.ts';
import type { TestService } from '../../support/service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { type TestAccount, TestAccounts } from '../../support/test-accounts.ts';
import { until } from '../../support/until.ts';
import { isRelease } from '../../support/thorough.ts';

/** Every list, as the description knows it: `compare` pages, too, but its items have no fields to choose from. */
const lists = Object.entries(description.paths).flatMap(([path, { get }]) =>
  get?.parameters.some(({ name, in: place }) => name === 'fields' && place === 'query') ? [path] : [],
);

/** What answers an array without being a list of items that a client pages through. */
const REPORTS = new Set([
  '/account/channels/{channel}',
  '/area/{id}',
  '/project/create',
  '/project/{id}',
  '/project/{id}/compare',
  '/project/{id}/history/{eventId}/chain',
  '/project/{id}/history/{eventId}/proof',
  '/project/{id}/uptime',
  '/status-pages/{id}',
  '/test/{id}',
  '/test/{id}/uptime',
  '/tests/{id}',
  '/tests/{id}/uptime',
]);

/** Where this installation has fewer than two items. */
const SHORT = new Set(['/authenticate/providers', '/account/identities', '/ops/projections/{name}/parked', '/account/second-factors']);

const SPAN = 'start=2026-01-01T00:00:00Z';
const begun = new Date().toISOString();
let service: TestService;
let people: TestAccounts;
let owner: TestAccount;
let admin: ApiClient;
const ids: Record<string, string> = {};

beforeAll(async () => {
  service = await sharedService();
  people = new TestAccounts(service);
  admin = (await people.admin()).api;
  owner = await people.register('owner');
  await fill();
});
afterAll(() => people.deleteProjects());

async function made(api: ApiClient, path: string, body: object): Promise<Json> {
  const answer = await api.post(path, body);
  if (answer.status !== 200) throw new Error(`${path} was answered ${String(answer.status)} ${answer.text}`);
  return answer.body;
}

async function fill(): Promise<void> {
  const { api } = owner;
  for (let count = 0; count < 4; count++) ids['project'] = await people.project(owner, `http://127.0.0.1:48123/shop${String(count)}`);
  const project = `/project/${ids['project'] ?? ''}`;
  for (const name of ['b', 'a', 'c']) ids['area'] = (await made(api, `${project}/areas`, { name })).id;
  for (const name of ['d', 'b', 'a', 'c', 'e'])
    ids['test'] = (await made(api, `${project}/tests`, { name, url: `/${name}`, areaId: ids['area'] })).id;
  for (const day of ['03', '01', '02'])
    await made(api, `${project}/maintenance`, { from: `2031-01-${day}T00:00:00Z`, to: `2031-01-${day}T01:00:00Z` });
  for (const name of ['b', 'a']) await made(api, '/account/tokens', { name });
  const guests = await Promise.all(['guest', 'developer', 'inviter'].map((name) => people.register(name)));
  const [guest, developer, inviter] = guests as [TestAccount, TestAccount, TestAccount];
  for (const one of [guest, developer]) await people.join(ids['project'] ?? '', owner, one, '6');
  for (let count = 0; count < 3; count++) {
    const theirs = await people.project(inviter);
    await made(inviter.api, `/project/${theirs}/users`, { email: owner.email, role: '6' });
    await made(inviter.api, `/project/${theirs}/transfer`, { userId: owner.userId });
  }
  for (let count = 0; count < 3; count++) await runJob(api, project);
  for (const name of ['b', 'a']) {
    ids['sid'] = (await made(api, `${project}/service-accounts`, { name, role: '6' })).id;
    ids['did'] = (await made(api, `${project}/destinations`, { name, url: 'https://example.com/events' })).id;
    ids['sidOfInstallation'] = (await made(admin, '/service-accounts', { name, role: 'auditor' })).id;
    ids['didOfInstallation'] = (await made(admin, '/destinations', { name, url: 'https://example.com/events' })).id;
  }
  const groups = [{ items: [{ name: 'Site', project: ids['project'] }] }];
  for (const slug of ['b', 'a']) ids['page'] = (await made(api, '/status-pages', { slug, title: slug, groups })).id;
  for (const title of ['b', 'a']) await made(api, `/status-pages/${ids['page'] ?? ''}/incidents`, { title, text: 'We look.' });
  for (const name of ['b', 'a']) {
    await made(api, `${project}/service-accounts/${ids['sid'] ?? ''}/tokens`, { name });
    await made(admin, `/service-accounts/${ids['sidOfInstallation'] ?? ''}/tokens`, { name });
  }
  await deliver(5);
  await park(api);
  await parkScopes(3);
  await parkReactions(3);
}

/** Scopes whose events two destinations could not deliver. */
async function parkScopes(count: number): Promise<void> {
  const client = new pg.Client(service.database.url);
  await client.connect();
  for (const did of [ids['did'], ids['didOfInstallation']])
    for (let scope = 0; scope < count; scope++)
      await client.query(
        `INSERT INTO destination_partition (destination_id, scope, position, latest, replay, control, batch_end, attempts, failing_since, parked_at, last_answer)
         VALUES ($1, $2, 0, 1, 0, 0, 1, 9, now(), now(), 'answered 500')`,
        [did, `project-${String(scope).repeat(24)}`],
      );
  await client.end();
}

/** Two reactors, of which one has parked projects. */
async function parkReactions(count: number): Promise<void> {
  const client = new pg.Client(service.database.url);
  await client.connect();
  for (const name of ['other', 'project'])
    await client.query(`INSERT INTO consumer (name, about, package, n) VALUES ($1, 'a reactor', './package', 1)`, [name]);
  for (let scope = 0; scope < count; scope++)
    await client.query(
      `INSERT INTO consumer_parked (consumer, scope, n, event_id, type, error, attempts) VALUES ('project', $1, $2, gen_random_uuid(), 'CheckFailed', 'refused', 1)`,
      [`project-${String(scope).repeat(24)}`, scope],
    );
  await client.end();
}

/** Two subscriptions, of which one has parked events. */
async function park(api: ApiClient): Promise<void> {
  for (const name of ['other', 'project']) await api.put(`/subscriptions/${name}`, { partition: 'none' });
  const { deliveries } = (await made(api, '/subscriptions/project/read', { consumer: 'a', limit: 3 })) as { deliveries: Json[] };
  await made(api, '/subscriptions/project/nack', { tokens: deliveries.map(({ token }) => token as string), action: 'park' });
}

async function runJob(api: ApiClient, project: string): Promise<void> {
  const jobId = (await api.get(`${project}/start`)).body.jobId as string;
  ids['jobId'] = jobId;
  await until(async () => (await api.get(`${project}/job/${jobId}/results`)).body.processed as boolean, 30_000, 'the end of the job');
}

/** Messages of one instant, as a burst of alerts makes them. */
async function deliver(count: number): Promise<void> {
  const client = new pg.Client(service.database.url);
  await client.connect();
  for (let seq = 0; seq < count; seq++)
    await client.query(
      `INSERT INTO notification_message (id, project_id, user_id, channel, kind, seq, state, created_at, next_try, give_up_at)
       VALUES ($1, $2, $3, 'email', 'problem', $4, 'delivered', '2026-01-01T00:00:00.000001Z', now(), now())`,
      [randomUUID(), ids['project'], owner.userId, seq],
    );
  await client.end();
}

const clientOf = (path: string): ApiClient =>
  /^\/(?:history$|accounts$|ops\/|destinations|service-accounts)/.test(path) ? admin : owner.api;

function filled(path: string): string {
  const id = path.startsWith('/project/') ? ids['project'] : path.startsWith('/status-pages/') ? ids['page'] : ids['test'];
  const named = path
    .replace('{id}', id ?? '')
    .replace('{jobId}', ids['jobId'] ?? '')
    .replace('{sid}', ids[path.startsWith('/project/') ? 'sid' : 'sidOfInstallation'] ?? '')
    .replace('{did}', ids[path.startsWith('/project/') ? 'did' : 'didOfInstallation'] ?? '')
    .replace('{name}', 'project');
  // The whole log may hold more events of other files than a page takes.
  if (path === '/history') return `${named}?from=${begun}`;
  return path.endsWith('/responseTimes') ? `${named}?${SPAN}` : named;
}

const withQuery = (path: string, query: string): string => `${path}${path.includes('?') ? '&' : '?'}${query}`;

function itemsOf(path: string, body: Json): readonly Json[] {
  if (Array.isArray(body)) return body as readonly Json[];
  const member = path.startsWith('/account/second-factors') ? 'factors' : Object.keys(body as object).find((name) => isListOf(body, name));
  return body[member ?? ''] as readonly Json[];
}

const isListOf = (body: Json, name: string): boolean => Array.isArray(body[name]) && !['areas', 'unreadable'].includes(name);

function nextOf(link: string | null): string | null {
  const found = /<([^>]*)>; rel="next"/.exec(link ?? '');
  return found?.[1]?.replace(/^.*?\/api/, '') ?? null;
}

/** The pages by their links; `after` the first page something else happens. */
async function pagesOf(path: string, query: string, after: () => Promise<void> = () => Promise.resolve()): Promise<readonly Json[]> {
  const items: Json[] = [];
  let page = 0;
  for (let next: string | null = withQuery(filled(path), query); next !== null; page++) {
    const { status, headers, body, text } = await clientOf(path).get(next);
    expect([status, status === 200 ? '' : text]).toEqual([200, '']);
    items.push(...itemsOf(path, body));
    next = nextOf(headers.get('link'));
    if (page === 0) await after();
    else expect(headers.get('link')).toContain('rel="first"');
    if (!Array.isArray(body)) expect((body.nextCursor ?? null) === null).toBe(next === null);
  }
  return items;
}

const keyOf = (item: Json): string =>
  String(
    item.id ??
      item.tid ??
      item.jobId ??
      item.at ??
      item.testId ??
      item.key ??
      item.channel ??
      item.responseDate ??
      item.name ??
      item.position,
  );
const keysOf = (items: readonly Json[]): readonly string[] => items.map(keyOf);

const itemsAt = async (path: string, query: string): Promise<readonly Json[]> =>
  itemsOf(path, (await clientOf(path).get(withQuery(filled(path), query))).body);

/** The service adds items by itself, such as events of what it measures: read again until it added none meanwhile. */
async function unchangedMeanwhile<Found>(path: string, query: string, read: (items: readonly Json[]) => Promise<Found>): Promise<Found> {
  for (;;) {
    const before = await itemsAt(path, query);
    const found = await read(before);
    if (keysOf(await itemsAt(path, query)).join() === keysOf(before).join()) return found;
  }
}

it('is a list wherever an answer has items', () => {
  const answers = Object.entries(description.paths).flatMap(([path, { get }]) => {
    const text = JSON.stringify(get?.responses['200'] ?? {});
    return text.includes('"application/json"') ? [path] : [];
  });
  for (const path of lists) expect(answers).toContain(path);
  for (const path of REPORTS) expect(lists).not.toContain(path);
  expect(lists.length).toBeGreaterThan(20);
});

describe.each(lists)('GET %s', (path) => {
  it('pages to its end by links, without doubled or missing items, and answers the fields that are named', async () => {
    const { whole, pages, chosen, name } = await unchangedMeanwhile(path, 'limit=1000', async (items) => {
      const limit = `limit=${String(Math.max(1, Math.ceil(items.length / 4)))}`;
      const [field = 'id'] = Object.keys((items[0] as object | undefined) ?? {});
      const named = items.length === 0 ? [] : await itemsAt(path, `limit=1000&fields=${field}`);
      return { whole: items, pages: await pagesOf(path, limit), chosen: named, name: field };
    });
    if (!SHORT.has(path) && !path.endsWith('/responseTimes') && !path.endsWith('/corrections')) expect(whole.length).toBeGreaterThan(1);
    expect(keysOf(pages)).toEqual(keysOf(whole));
    expect(chosen.map((item) => Object.keys(item as object))).toEqual(chosen.map(() => [name]));
    expect(chosen.map((item) => item[name])).toEqual(whole.map((item) => item[name]));
  });

  const sorts = (description.paths[path]?.['get']?.parameters.find(({ name }) => name === 'sort')?.schema.enum ?? []) as readonly string[];
  if (isRelease)
    it('pages in every order', async () => {
      for (const sort of sorts) {
        const { whole, pages } = await unchangedMeanwhile(path, `limit=1000&sort=${sort}`, async (items) => ({
          whole: items,
          pages: await pagesOf(path, `sort=${sort}&limit=${String(Math.max(1, Math.ceil(items.length / 3)))}`),
        }));
        expect([sort, keysOf(pages)]).toEqual([sort, keysOf(whole)]);
      }
    });

  it('names the nearest field', async () => {
    const { status, body } = await clientOf(path).get(withQuery(filled(path), 'fields=nothingLikeIt'));
    expect([status, body.message]).toEqual([400, expect.stringContaining('"nothingLikeIt" is not a field of this list')]);
  });
});

it('answers tokens and sessions in one order, whole and in pages', async () => {
  const { body } = await owner.api.get('/account/tokens');
  const created = (body as Json[]).map((token) => Date.parse(token.created as string));
  expect(created).toEqual(created.toSorted((one, other) => other - one));
  expect(keysOf(await pagesOf('/account/tokens', 'limit=1'))).toEqual(keysOf(body as Json[]));
});

it.each([
  ['runs of a test', () => `/test/${ids['test'] ?? ''}/results?status=error`],
  ['results of a job', () => `/project/${ids['project'] ?? ''}/job/${ids['jobId'] ?? ''}/results?status=error`],
])('answers only the %s that are in the state', async (_, path) => {
  const whole = (await owner.api.get(path().replace('status=error', 'limit=1000'))).body.results as Json[];
  const found = (await owner.api.get(`${path()}&limit=1000`)).body.results as Json[];
  expect(found).toEqual(whole.filter(({ status }) => status === 'error'));
  expect(found.length).toBeGreaterThan(0);
  expect((await owner.api.get(path().replace('error', 'ok'))).body.results).toEqual(whole.filter(({ status }) => status === 'ok'));
  expect((await owner.api.get(path().replace('error', 'ajar'))).body.param).toBe('status');
});

it('refuses a state where items have none, in lists that refuse what they do not know', async () => {
  const { status, body } = await owner.api.get(`/project/${ids['project'] ?? ''}/jobs?status=x`);
  expect([status, body.message]).toEqual([400, 'status: is not a known parameter']);
});

describe('rows that come and go between two pages', () => {
  const project = (): string => `/project/${ids['project'] ?? ''}`;
  it.each([
    ['/projects', 'limit=2', () => people.project(owner)],
    ['/projects', 'limit=2&sort=-id', () => people.project(owner)],
    ['/project/{id}/tests', 'limit=2', () => made(owner.api, `${project()}/tests`, { url: '/new', areaId: ids['area'] })],
    [
      '/project/{id}/tests',
      'limit=2&sort=name',
      () => made(owner.api, `${project()}/tests`, { name: 'bb', url: '/new', areaId: ids['area'] }),
    ],
    ['/project/{id}/areas', 'limit=2&sort=-name', () => made(owner.api, `${project()}/areas`, { name: 'bb' })],
    ['/account/tokens', 'limit=1', () => made(owner.api, '/account/tokens', { name: 'new' })],
    ['/account/deliveries', 'limit=2', () => deliver(2)],
    ['/project/{id}/history', 'limit=20', () => owner.api.put(project(), { title: 'Other' })],
  ] as const)('%s?%s', async (path, query, insert) => {
    const before = keysOf(
      itemsOf(path, (await clientOf(path).get(withQuery(filled(path), query.replace(/limit=\d+/, 'limit=1000')))).body),
    );
    const found = keysOf(
      await pagesOf(path, query, async () => {
        await insert();
      }),
    );
    expect(new Set(found).size).toBe(found.length);
    expect(before.filter((key) => !found.includes(key))).toEqual([]);
  });
});

describe('a page of the status', () => {
  const withoutClock = ({ now: _, ...known }: Json): Json => known;
  /** The checks run at any time: read again until no run has changed the status meanwhile. */
  async function unchangedStatus<Found>(path: string, read: () => Promise<Found>): Promise<Found> {
    const status = async (): Promise<string> => JSON.stringify(withoutClock((await owner.api.get(`${path}/status`)).body));
    for (;;) {
      const before = await status();
      const found = await read();
      if ((await status()) === before) return found;
    }
  }

  it('has the figures of the whole project', async () => {
    const path = `/project/${ids['project'] ?? ''}`;
    await owner.api.put(`/test/${ids['test'] ?? ''}`, { enabled: false });
    for (const form of ['status', 'simple-status']) {
      const [all, first, ofErrors] = await unchangedStatus(path, async () => [
        withoutClock((await owner.api.get(`${path}/${form}`)).body),
        withoutClock((await owner.api.get(`${path}/${form}?limit=2`)).body),
        (await owner.api.get(`${path}/${form}?status=error`)).body,
      ]);
      const { tests, ...whole } = all;
      const { tests: page, nextCursor, ...figures } = first;
      expect([figures, page, typeof nextCursor]).toEqual([whole, tests.slice(0, 2), 'string']);
      const failing = ofErrors.tests;
      expect([failing.length, whole.failed]).toEqual([whole.failed, whole.failed]);
      expect(whole.failed).toBeGreaterThan(1);
    }
    const unknown = (await owner.api.get(`${path}/tests?status=unknown&fields=id,status.status`)).body;
    expect(unknown).toContainEqual({ id: ids['test'], status: { status: 'unknown' } });
    const found = (await owner.api.get(`${path}/tests?search=/C&fields=name`)).body;
    expect(found).toEqual([{ name: 'c' }]);
    await owner.api.put(`/test/${ids['test'] ?? ''}`, { enabled: true });
  });

  it('is the same as of an instant', async () => {
    const path = `/project/${ids['project'] ?? ''}`;
    for (const list of ['tests?limit=3&sort=-name', 'tests?status=error&limit=2', 'areas?limit=1&search=a', 'simple-status?limit=2']) {
      const [now, then] = await unchangedStatus(path, async () => {
        const asOf = encodeURIComponent(new Date().toISOString());
        return [await owner.api.get(`${path}/${list}`), await owner.api.get(`${path}/${list}&asOf=${asOf}`)] as const;
      });
      expect(then.body).toEqual(now.body);
      expect(then.headers.get('link')?.replace(/&asOf=[^&>]*/, '') ?? null).toEqual(now.headers.get('link'));
    }
  });
});

it('answers the whole list as the interface does when no parameter is given', async () => {
  const { body, headers } = await owner.api.get(`/project/${ids['project'] ?? ''}/users?unknown=1`);
  expect([Array.isArray(body), headers.get('link')]).toEqual([true, null]);
});

it('refuses a cursor under another sort', async () => {
  const { headers } = await owner.api.get('/account/tokens?limit=1&sort=name');
  const { status, body } = await owner.api.get((nextOf(headers.get('link')) ?? '').replace('sort=name', 'sort=created'));
  expect([status, body.message]).toEqual([400, expect.stringContaining('belongs to pages sorted by "name"')]);
});

describe('tags of projects', () => {
  const titles = async (query: string): Promise<readonly string[]> =>
    ((await owner.api.get(`/projects?sort=title&${query}`)).body.projects as readonly { title: string }[]).map(({ title }) => title);

  it('choose projects in any case, all of several, today and at an instant', async () => {
    const url = 'http://127.0.0.1:48123/tagged';
    const { id, tags } = await made(owner.api, '/project/create', { url, title: 'One', tags: ['Team A', 'shop'] });
    await made(owner.api, '/project/create', { url, title: 'Two', tags: ['team a'] });
    expect(tags).toEqual(['Team A', 'shop']);
    expect(await titles('tag=TEAM%20A')).toEqual(['One', 'Two']);
    expect(await titles('tag=team%20a&tag=shop')).toEqual(['One']);
    const before = (await owner.api.get(`/project/${id as string}`)).headers.get('watchledger-as-of') ?? '';
    expect((await owner.api.patch(`/project/${id as string}`, { tags: null })).status).toBe(200);
    expect((await owner.api.get(`/project/${id as string}`)).body.tags).toEqual([]);
    expect(await titles('tag=shop')).toEqual([]);
    expect(await titles(`tag=shop&asOf=${before}`)).toEqual(['One']);
    const [last] = (await owner.api.get(`/project/${id as string}/history?type=ProjectTagsChanged&limit=1`)).body.events;
    expect(last).toMatchObject({ type: 'ProjectTagsChanged', data: { from: ['Team A', 'shop'], to: [] } });
  });

  it.each([[['a,b']], [['']], [[' a']], [['a', 'A']], [['x'.repeat(41)]], [Array.from({ length: 21 }, (_, n) => String(n))], ['a'], [[7]]])(
    'refuse %j',
    async (tags) => {
      const answer = await owner.api.put(`/project/${ids['project'] ?? ''}`, { tags });
      expect(answer.status).toBe(400);
      expect(answer.body.param).toBe('tags');
    },
  );

  it('refuse a filter that is no tag', async () => {
    expect((await owner.api.get('/projects?tag=')).body.param).toBe('tag');
  });
});
