import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiClient, Json } from '../../support/api-client.ts';
import { PASSWORD, TestAccounts, type TestAccount } from '../../support/test-accounts.ts';
import { EventStream } from '../../support/event-stream.ts';
import { followScript, hasPython } from '../../support/follow-script.ts';
import { type Site, startHttp } from '../../support/servers/site.ts';
import type { TestService } from '../../support/service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { until } from '../../support/until.ts';

let service: TestService;
let site: Site;
let people: TestAccounts;
let owner: TestAccount;
let guest: TestAccount;
let auditor: ApiClient;
let api: ApiClient;
let projectId: string;
let started: string;

beforeAll(async () => {
  site = await startHttp((_, response) => response.end('<title>Shop</title>Welcome'));
  service = await sharedService();
  people = new TestAccounts(service);
  owner = await people.register('owner');
  guest = await people.register('guest');
  const reader = await people.register('auditor');
  await people.administer(reader, { systemRole: 'auditor' });
  auditor = reader.api;
  api = owner.api;
  projectId = await people.project(owner, site.url);
  started = new Date().toISOString();
  await api.put(`/project/${projectId}`, { title: '=HYPERLINK("http://evil")', period: false });
  await people.join(projectId, owner, guest, '6');
  const area = await api.post(`/project/${projectId}/areas`, {
    name: 'Shop',
    httpAuth: { user: 'u', password: 'canary-password' },
    options: { w: 'X-Key: canary-header' },
  });
  await api.post(`/project/${projectId}/tests`, {
    areaId: area.body.id,
    url: '/',
    name: 'Homepage',
    rules: [{ op: 'sub', val: 'Welcome' }],
  });
  await api.get(`/project/${projectId}/start?keep-alive=true`);
});
afterAll(async () => {
  await people.deleteProjects();
  await site.close();
});

const history = async (query = ''): Promise<Json> => (await api.get(`/project/${projectId}/history${query}`)).body;

describe('GET /project/{id}/history', () => {
  it('lists who changed what, with old and new value, in log order', async () => {
    const { events } = await history(`?order=asc&actor=${String(owner.userId)}`);
    const types = events.map(({ type }: Json) => type as string);
    expect(types.slice(0, 3)).toEqual(['ProjectCreated', 'ProjectRenamed', 'PeriodChanged']);
    expect(events[1]).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      position: expect.stringMatching(/^\d+$/),
      stream: `project-${projectId}`,
      revision: expect.any(Number),
      version: 1,
      actor: { kind: 'user', id: String(owner.userId), name: 'owner' },
      causationId: null,
      data: { to: '=HYPERLINK("http://evil")' },
    });
    expect(events[1].correlationId).toBe(events[1].id);
    expect(events.find(({ type }: Json) => type === 'PeriodChanged').summary).toBe(
      'Period of the checks changed from "5 minutes" to "only when started"',
    );
    // Added by accepting.
    const [added] = (await history(`?type=MemberAdded&actor=${String(guest.userId)}`)).events;
    expect(added.summary).toBe('guest added as guest');
    const positions = events.map(({ position }: Json) => Number(position));
    expect(positions).toEqual([...positions].sort((a, b) => a - b));
  });

  it('links the start of a job to its verdict in causal order', async () => {
    const { events } = await history('?type=CheckPassed');
    expect(events).toHaveLength(1);
    expect(events[0].summary).toBe('Check Homepage passed for the first time');
    const chain = (await api.get(`/project/${projectId}/history/${events[0].id as string}/chain`)).body.events;
    expect(chain.map(({ type }: Json) => type as string)).toEqual(['JobRequested', 'CheckPassed', 'JobEnded']);
    const ids = chain.map(({ id }: Json) => id as string);
    expect(chain[0].causationId).toBeNull();
    for (const { causationId } of chain.slice(1)) expect(ids).toContain(causationId);
  });

  it('filters by type, actor, stream and time, and pages consistently during writes', async () => {
    expect((await history('?type=MemberAdded&type=PeriodChanged')).events).toHaveLength(2);
    const ofGuest = (await history(`?actor=${String(guest.userId)}`)).events.map(({ type }: Json) => type as string);
    expect(ofGuest).toContain('MemberAdded');
    expect(ofGuest).not.toContain('PeriodChanged');
    expect((await history('?actor=4711')).events).toHaveLength(0);
    expect((await history(`?to=${started}&actor=${String(owner.userId)}`)).events).toHaveLength(1);
    expect((await history(`?from=${started}`)).events.some(({ type }: Json) => type === 'ProjectCreated')).toBe(false);
    const seen: string[] = [];
    let cursor = '';
    do {
      const page = await history(`?order=asc&limit=2${cursor}`);
      seen.push(...page.events.map(({ position }: Json) => position as string));
      if (seen.length === 2) await api.put(`/project/${projectId}`, { delay: 99 });
      cursor = page.nextCursor === null ? '' : `&cursor=${page.nextCursor as string}`;
    } while (cursor !== '');
    expect(new Set(seen).size).toBe(seen.length);
    // Watches append at any time, so events after the last page are not missing.
    const now = (await history('?order=asc&limit=1000')).events.map(({ position }: Json) => position as string);
    expect(seen.length).toBeGreaterThan(2);
    expect(seen).toEqual(now.slice(0, seen.length));
  });

  it('shows no secret in any form', async () => {
    const all = JSON.stringify(await history('?limit=1000'));
    expect(all).not.toContain('canary');
    expect(all).not.toContain('sealed');
  });

  it('streams CSV with harmless cells, and one JSON line per event', async () => {
    const csv = await api.with({ accept: 'text/csv' }).get(`/project/${projectId}/history?order=asc`);
    expect(csv.headers.get('content-type')).toContain('text/csv');
    expect(csv.text.split('\r\n')[0]).toMatch(/^position,recordedAt,/);
    const lines = (await api.get(`/project/${projectId}/history?format=jsonl&order=asc`)).text.trim().split('\n');
    const ids = (await history('?order=asc&limit=1000')).events.map(({ id }: Json) => id as string);
    expect(lines.length).toBeGreaterThan(2);
    expect(lines.map((line) => JSON.parse(line).id as string)).toEqual(ids.slice(0, lines.length));
    for (const line of csv.text.split('\r\n').slice(1)) for (const cell of line.split(',')) expect(cell).not.toMatch(/^[=+@]/);
  });

  it.each([
    '?limit=0',
    '?limit=1001',
    '?order=up',
    '?from=yesterday',
    '?cursor=xyz',
    '?nope=1',
    '?from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z',
  ])('refuses %s', async (query) => {
    expect((await api.get(`/project/${projectId}/history${query}`)).status).toBe(400);
  });

  it('refuses the cursor of another project', async () => {
    const other = await people.project(owner, 'https://example.org');
    await api.put(`/project/${other}`, { title: 'Other' });
    const { body } = await api.get(`/project/${other}/history?limit=1`);
    expect((await api.get(`/project/${projectId}/history?cursor=${body.nextCursor as string}`)).status).toBe(400);
  });

  it('restricts the history of all projects to the system roles', async () => {
    expect((await api.get('/history')).status).toBe(403);
    const { body } = await auditor.get('/history?limit=1000');
    expect(body.events.some(({ type }: Json) => type === 'AccountOpened')).toBe(true);
  });

  it('hides the history of a deleted project from members and keeps it for auditors', async () => {
    const doomed = await people.project(owner, 'https://example.net');
    await api.delete(`/project/${doomed}`);
    expect((await api.get(`/project/${doomed}/history`)).status).toBe(403);
    await until(async () => (await auditor.get(`/project/${doomed}/history`)).status === 200, 3_000);
    const { body } = await auditor.get(`/project/${doomed}/history?type=ProjectDeleted`);
    expect(body.deletedAt).toMatch(/^20/);
    expect(body.events[0].summary).toContain('deleted');
  });

  it('shows the owner who read the record: one event per token, kind and day', async () => {
    const watched = await people.project(owner, 'https://example.com');
    const [created] = (await api.get(`/project/${watched}/history`)).body.events;
    const path = `/project/${watched}/history`;
    for (const ask of ['', '', '?type=RecordAccessed']) expect((await auditor.get(`${path}${ask}`)).status).toBe(200);
    expect((await auditor.get(`/project/${watched}/status`)).status).toBe(200);
    for (let n = 0; n < 3; n++) expect((await api.get(`${path}/export`)).status).toBe(200);
    await until(async () => (await api.get(`${path}/${created.id as string}/proof`)).status === 200, 5_000);
    expect((await guest.api.get(`${path}/export`)).status).toBe(403);
    const accesses = async (): Promise<Json[]> =>
      (await api.get(`${path}?type=RecordAccessed&type=RecordAccessesCounted&order=asc`)).body.events;
    await until(async () => (await accesses()).length >= 3, 5_000);
    const shown = (await accesses()).map(({ actor, data, summary }: Json) => [
      actor.name,
      data.kind,
      data.tokenId === actor.tokenId,
      summary,
    ]);
    expect(shown.sort()).toEqual(
      [
        ['auditor', 'read', true, expect.stringMatching(/^The record was read on 20/)],
        ['owner', 'export', true, expect.stringMatching(/^An export was read on 20/)],
        ['owner', 'proof', true, expect.stringMatching(/^A proof was read on 20/)],
      ].sort(),
    );
  });

  it('refuses the history of an unknown project to auditors as well', async () => {
    const never = '0123456789abcdef01234567';
    for (const path of ['history', 'history?format=csv', 'history/export'])
      expect((await auditor.get(`/project/${never}/${path}`)).status).toBe(403);
  });
});

describe('GET /events', () => {
  const feed = async (query: string, client = api): Promise<Json> => (await client.get(`/events${query}`)).body;
  const ids = (page: Json): readonly string[] => page.events.map(({ id }: Json) => id as string);

  it('leads through all events of the projects of its caller, page by page, and never ends', async () => {
    const seen: string[] = [];
    let page = await feed('?limit=7');
    for (; page.events.length > 0; page = await feed(`?limit=7&after=${page.position as string}`)) {
      expect(page.events.length).toBeLessThanOrEqual(7);
      seen.push(...page.events.map(({ position }: Json) => position as string));
    }
    expect(page.position).toBe(page.head);
    expect(seen).toEqual([...new Set(seen)].sort((a, b) => Number(a) - Number(b)));
    const own = (await history('?order=asc&limit=1000')).events.map(({ position }: Json) => position as string);
    expect(seen).toEqual(expect.arrayContaining(own.filter((position: string) => Number(position) <= Number(page.position))));
  });

  it('shows members their projects alone, system roles everything, and refuses other projects like unknown ones', async () => {
    const { head } = await feed('?after=now');
    const other = await people.project(owner, 'https://example.org/feed');
    const scopesOf = (page: Json): ReadonlySet<string> => new Set(page.events.map(({ scope }: Json) => scope as string));
    expect(scopesOf(await feed('?limit=1000', guest.api))).toEqual(new Set([`project-${projectId}`]));
    expect(scopesOf(await feed(`?scope=project-${other}`))).toEqual(new Set([`project-${other}`]));
    const [all, latest] = [await feed('?limit=1000', auditor), await feed(`?after=${head as string}&limit=1000`, auditor)].map(scopesOf);
    expect([...all!].some((scope) => scope.startsWith('account-')) && latest!.has(`project-${other}`)).toBe(true);
    for (const scope of [`project-${other}`, 'project-0123456789abcdef01234567', 'system', 'account-1'])
      expect((await guest.api.get(`/events?scope=${scope}`)).status).toBe(403);
  });

  it('waits for an event that fits, and answers at once when it comes', async () => {
    const { head } = await feed('?after=now');
    const waiting = feed(`?after=${head as string}&type=DelayChanged&wait=60`);
    await api.put(`/project/${projectId}`, { title: 'Renamed while a client waits' });
    await api.put(`/project/${projectId}`, { delay: 77 });
    const page = await waiting;
    expect(page.events.map(({ type, data }: Json) => [type, data.to])).toEqual([['DelayChanged', 77]]);
    const empty = await feed(`?after=${page.head as string}&type=ProjectDeleted&wait=1`);
    expect(empty.events).toEqual([]);
    expect(Number(empty.position)).toBeGreaterThanOrEqual(Number(page.head));
    const followed = (await api.get(`/project/${projectId}/history?after=${head as string}&type=DelayChanged&wait=1`)).body;
    expect(ids(followed)).toEqual(ids(page));
    expect(Number(followed.position)).toBeGreaterThanOrEqual(Number(page.position));
  });

  it('answers JSON lines, and CloudEvents as a batch, as lines and as a stream', async () => {
    const [first, second] = (await feed('?limit=2')).events;
    const lines = async (query: string): Promise<Json[]> =>
      (await api.with({ accept: 'application/x-ndjson' }).get(`/events?limit=2${query}`)).text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
    expect(await lines('')).toEqual([first, second]);
    const batch = await api.with({ accept: 'application/cloudevents-batch+json' }).get('/events?limit=2');
    expect(batch.headers.get('content-type')).toContain('application/cloudevents-batch+json');
    expect(batch.headers.get('link')).toContain(`after=${second.position as string}>; rel="next"`);
    expect(batch.body[0]).toMatchObject({
      ...{
        specversion: '1.0',
        id: first.id,
        type: `watchledger.${first.type as string}.v1`,
        subject: first.stream,
        time: first.recordedAt,
      },
      ...{ datacontenttype: 'application/json', data: first.data, position: first.position, scope: first.scope },
    });
    for (const name of Object.keys(batch.body[0])) expect(name).toMatch(/^[a-z0-9]{1,20}$/);
    expect(await lines('&format=cloudevents')).toEqual(batch.body);
    const stream = await EventStream.open(`${service.url}/api/events?limit=2&format=cloudevents`, api.token);
    await until(async () => Promise.resolve(stream.events.length > 1), 10_000, 'two events');
    expect(stream.events.slice(0, 2).map(({ data }) => data)).toEqual(batch.body);
    stream.close();
  });

  it('streams past and new events, resumes after the last one, and ends with the right of its caller', async () => {
    const { position } = await feed('?after=now');
    const open = (query: string): Promise<EventStream> =>
      EventStream.open(`${service.url}/api/events${query}`, guest.api.token, { 'last-event-id': position });
    const waiting = guest.api.get(`/events?after=${position}&type=TimeoutChanged&wait=60`);
    const [stream, named] = [await open('?type=DelayChanged'), await open(`?scope=project-${projectId}`)];
    expect(stream.contentType).toContain('text/event-stream');
    await api.put(`/project/${projectId}`, { delay: 78 });
    const { id, data } = await stream.heard('DelayChanged');
    expect([id, data.data.to]).toEqual([data.position, 78]);
    await api.delete(`/project/${projectId}/users`, { users: [guest.userId] });
    // Long before the end of its wait, and without an event.
    const removedAt = performance.now();
    expect([(await waiting).status, performance.now() - removedAt < 30_000]).toEqual([403, true]);
    await named.cutOff(10_000);
    await api.put(`/project/${projectId}`, { delay: 79, timeout: 7 });
    expect((await guest.api.get(`/events?after=${position}`)).body.events).toEqual([]);
    expect([stream.events.length, stream.ended]).toEqual([1, false]);
    stream.close();
  });

  (hasPython ? it : it.skip)('is followed by the program of docs/follow-the-log.md, each event once', async () => {
    const body = { name: 'follower', scopes: ['feed'], password: PASSWORD };
    const { token } = (await api.post('/account/tokens', body)).body as { token: string };
    const types = ['DelayChanged', 'ProjectRenamed'];
    const follow = followScript(service.url, token, types);
    const expected = async (): Promise<readonly string[]> =>
      ids(await feed(`?limit=1000&${types.map((type) => `type=${type}`).join('&')}`));
    expect(await follow()).toEqual(await expected());
    await api.put(`/project/${projectId}`, { delay: 80 });
    const all = await follow();
    expect(all).toEqual(await expected());
    expect(all.length).toBeGreaterThan(3);
  });

  it.each([
    ['?after=999999999999', /after: is beyond the end of the log/],
    ['?after=yesterday', /after: must be the position of an event, or now/],
    ['?type=CheckFaild', /did you mean CheckFailed/],
    ['?limit=1001', /limit: must be an integer from 1 to 1000/],
    ['?wait=61', /wait: must be an integer from 0 to 60/],
    ['?format=xml', /format: must be json, jsonl, cloudevents/],
    ['?tpye=CheckFailed', /tpye: is unknown; did you mean type/],
  ])('refuses %s', async (query, message) => {
    const { status, body } = await api.get(`/events${query}`);
    expect([status, body.message]).toEqual([400, expect.stringMatching(message)]);
  });

  it('refuses to follow a history by what belongs to pages of the past', async () => {
    for (const query of ['?after=1&order=desc', '?after=1&from=2026-01-01T00:00:00Z', '?wait=3'])
      expect((await api.get(`/project/${projectId}/history${query}`)).status).toBe(400);
  });
});
