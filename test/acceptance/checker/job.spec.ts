import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Answer, ApiClient, Json } from '../../support/api-client.ts';
import { TestAccounts, type TestAccount } from '../../support/test-accounts.ts';
import { type Site, startHttp } from '../../support/servers/site.ts';
import type { TestService } from '../../support/service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { isRelease, thorough } from '../../support/thorough.ts';
import { until } from '../../support/until.ts';

let service: TestService;
let site: Site;
let people: TestAccounts;
let owner: TestAccount;
let api: ApiClient;
let projectId: string;
let areaId: string;
let good: string;
let bad: string;
let broken = false;
let heldRequests = 0;
/** Pages under /held are answered once this resolves. */
let held: Promise<void> = Promise.resolve();

beforeAll(async () => {
  site = await startHttp((request, response) => {
    if (broken) response.statusCode = 503;
    const isHeld = request.url?.startsWith('/held') === true;
    if (isHeld) heldRequests++;
    void (isHeld ? held : Promise.resolve()).then(() => {
      response.setHeader('content-type', 'text/html').end('<title>Shop</title><p>Welcome to the shop</p>');
    });
  });
  service = await sharedService();
  people = new TestAccounts(service);
  owner = await people.register('owner');
  api = owner.api;
  projectId = await people.project(owner, site.url);
  await api.put(`/project/${projectId}`, { period: false, timeout: 60 });
  const area = await api.post(`/project/${projectId}/areas`, { name: 'Shop' });
  areaId = area.body.id;
  const create = async (rules: object[]): Promise<string> =>
    (await api.post(`/project/${projectId}/tests`, { areaId, url: '/', name: 'Page', rules })).body.id;
  good = await create([{ op: 'sub', val: 'Welcome' }]);
  bad = await create([{ type: 'status', op: 'eq', val: '404' }]);
});
afterAll(async () => {
  await people.deleteProjects();
  await site.close();
});

async function ended(jobId: string): Promise<Json> {
  let job: Json;
  await until(async () => {
    job = (await api.get(`/project/${projectId}/job/${jobId}/results`)).body;
    return job.processed === true;
  }, 30_000);
  return job;
}

describe('starting a group', () => {
  it('answers immediately with the job and its results address, and runs every enabled test', async () => {
    const answer = await api.get(`/project/${projectId}/start/area/${areaId}`);
    expect(answer).toMatchObject({ status: 200, body: { projectId, start: 'ok' } });
    const { jobId, results } = answer.body;
    expect(results).toBe(`${service.url}/api/project/${projectId}/job/${jobId as string}/results`);
    const job = await ended(jobId);
    expect(job).toMatchObject({ jobId, total: 2, failed: 1, processed: true, persist: true, mode: 0, areas: [areaId] });
    expect(job.startedAt).toBeGreaterThan(1_700_000_000);
    const entry = (id: string): Json => job.results.find((result: Json) => result.testId === id);
    expect(entry(good)).toMatchObject({
      testName: 'Page',
      areaId,
      status: 'ok',
      failures: [],
      request: { method: 'GET', url: `${site.url}/` },
    });
    expect(entry(bad)).toMatchObject({ status: 'error', failures: [expect.stringContaining('404')] });
    expect(entry(good).response).toMatchObject({ httpStatus: '200', contentType: 'text/html' });
    expect(entry(good).response.timing.map(({ metrics }: Json) => metrics)).toContain('Waiting');
  });

  it('runs the selected tests only', async () => {
    const { body } = await api.get(`/project/${projectId}/start/area/${areaId}?tests=${good}`);
    expect(await ended(body.jobId)).toMatchObject({ total: 1, failed: 0, mode: 1 });
  });

  it('waits for the end of the job on request', async () => {
    const { body } = await api.get(`/project/${projectId}/start?keep-alive=true&tests=${good}`);
    expect((await api.get(`/project/${projectId}/job/${body.jobId as string}/results`)).body).toMatchObject({ processed: true, total: 1 });
  });

  it('streams the start, each result and the finished job', async () => {
    const answer = await api.get(`/project/${projectId}/start/area/${areaId}?continue=true`);
    expect(answer.headers.get('content-type')).toContain('application/x-ndjson');
    const lines = answer.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toHaveLength(4);
    expect(lines[0]).toMatchObject({ start: 'ok' });
    expect(lines.slice(1, 3).map(({ testId }) => testId as string)).toEqual(expect.arrayContaining([good, bad]));
    expect(lines[3]).toMatchObject({ processed: true });
  });

  it('streams the same job again for a retry with the same idempotency key', async () => {
    const keyed = api.with({ 'idempotency-key': 'stream' });
    const path = `/project/${projectId}/start/area/${areaId}?continue=true`;
    const [first, again] = [await keyed.get(path), await keyed.get(path)];
    expect(again.headers.get('content-type')).toContain('application/x-ndjson');
    const lines = (text: string): readonly string[] => text.trim().split('\n');
    expect(lines(again.text)).toHaveLength(4);
    expect(lines(again.text)[0]).toBe(lines(first.text)[0]);
  });

  it.each([
    ['a test of another group', () => `start/area/${areaId}?tests=${'a'.repeat(24)}`],
    ['a word for a test', () => `start/area/${areaId}?tests=nothing`],
    ['an unknown group', () => `start/area/${'a'.repeat(24)}`],
  ])('answers 404 for %s, and starts nothing', async (_, path) => {
    const before = (await api.get(`/project/${projectId}/jobs`)).body.jobs.length as number;
    expect((await api.get(`/project/${projectId}/${path()}`)).status).toBe(404);
    expect((await api.get(`/project/${projectId}/jobs`)).body.jobs).toHaveLength(before);
  });

  it('finishes immediately without results when the group has no tests', async () => {
    const empty = await api.post(`/project/${projectId}/areas`, { name: 'Empty' });
    const { body } = await api.get(`/project/${projectId}/start/area/${empty.body.id as string}`);
    expect((await api.get(`/project/${projectId}/job/${body.jobId as string}/results`)).body).toMatchObject({
      total: 0,
      processed: true,
      results: [],
    });
  });

  it('finishes immediately without results when every test of the group is disabled', async () => {
    const area = (await api.post(`/project/${projectId}/areas`, { name: 'Off' })).body.id as string;
    const { id } = (await api.post(`/project/${projectId}/tests`, { areaId: area, url: '/', name: 'Off', enabled: false })).body;
    for (const query of ['', `?tests=${id as string}`, '?continue=true', '?keep-alive=true']) {
      const { status, text } = await api.get(`/project/${projectId}/start/area/${area}${query}`);
      expect(status).toBe(200);
      const { jobId } = JSON.parse(text.split('\n')[0] ?? '');
      expect((await api.get(`/project/${projectId}/job/${jobId as string}/results`)).body).toMatchObject({
        total: 0,
        failed: 0,
        processed: true,
        givenUp: false,
        results: [],
      });
    }
  });

  it('answers 404 for tests of another group or project and starts none of them', async () => {
    const elsewhere = await people.project(owner, site.url);
    const foreign = (await api.post(`/project/${elsewhere}/tests`, { url: '/', name: 'Elsewhere' })).body;
    const area = (await api.post(`/project/${projectId}/areas`, { name: 'Other' })).body.id as string;
    const before = (await api.get(`/project/${projectId}/jobs`)).body.jobs as Json[];
    for (const path of [
      `start/area/${area}?tests=${good}`,
      `start/area/${areaId}?tests=${good}&tests=${foreign.id as string}`,
      `start?tests=${foreign.id as string}`,
      `start/area/${foreign.areaId as string}`,
    ])
      expect((await api.get(`/project/${projectId}/${path}`)).status).toBe(404);
    const { body } = await api.get(`/project/${projectId}/start?keep-alive=true&tests=${good}`);
    const foreignJob = await api.get(`/project/${elsewhere}/job/${body.jobId as string}/results`);
    const unknownJob = await api.get(`/project/${elsewhere}/job/${'a'.repeat(24)}/results`);
    expect([foreignJob.status, unknownJob.status]).toEqual([403, 403]);
    expect((await api.get(`/project/${projectId}/jobs`)).body.jobs).toHaveLength(before.length + 1);
  });

  it('coalesces many concurrent starts of one group into one job that every caller can read', async () => {
    const { area, release } = await heldGroup();
    const before = heldRequests;
    const answers = await Promise.all(
      Array.from({ length: thorough(1_000, 100) }, async () => {
        const { status, body } = await getWithRetry(`/project/${projectId}/start/area/${area}`);
        const results = await getWithRetry(`/project/${projectId}/job/${body.jobId as string}/results`);
        return { status, jobId: body.jobId as string, results: results.status };
      }),
    );
    release();
    expect(answers.filter(({ status, results }) => status !== 200 || results !== 200)).toEqual([]);
    const jobs = new Set(answers.map(({ jobId }) => jobId));
    expect(jobs.size).toBe(1);
    expect(await ended([...jobs][0] ?? '')).toMatchObject({ total: 1, failed: 0 });
    // An inconclusive run, as on an overloaded machine, is tried up to three times.
    expect(heldRequests - before).toBeLessThanOrEqual(3);
    const { body } = await api.get(`/project/${projectId}/start/area/${area}`);
    expect(jobs.has(body.jobId as string)).toBe(false);
    await ended(body.jobId as string);
  });

  it('finishes the job of a client that disconnects from its stream', async () => {
    const { area, release } = await heldGroup();
    const said = service.log.length;
    const leaving = new AbortController();
    const stream = await fetch(`${service.url}/api/project/${projectId}/start/area/${area}?continue=true`, {
      headers: { authorization: `Bearer ${api.token ?? ''}` },
      signal: leaving.signal,
    });
    const first = await stream.body?.getReader().read();
    const { jobId } = JSON.parse(Buffer.from(first?.value ?? []).toString()) as { jobId: string };
    leaving.abort();
    expect((await api.get(`/project/${projectId}/job/${jobId}/results`)).body).toMatchObject({ processed: false });
    release();
    expect(await ended(jobId)).toMatchObject({ total: 1, failed: 0 });
    expect(service.log.slice(said).filter((line) => /"level":"?(error|fatal|50|60)/.test(line))).toEqual([]);
  });

  it('ends the answers that follow a job when a member is removed or a token revoked, and finishes the job', async () => {
    const { area, release } = await heldGroup();
    // Starts of one group share a job.
    const other = (await api.post(`/project/${projectId}/areas`, { name: 'Other' })).body.id as string;
    await api.post(`/project/${projectId}/tests`, { areaId: other, url: '/held', name: 'Held' });
    const developer = await people.register('developer');
    await people.join(projectId, owner, developer, '5');
    const { tid, token } = (await api.post('/account/tokens', { name: 'follow' })).body as { tid: string; token: string };
    const path = `/project/${projectId}/start/area`;
    const followed = Promise.all([
      developer.api.get(`${path}/${area}?continue=true`),
      api.as(token).get(`${path}/${other}?keep-alive=true`),
    ]);
    const jobs = async (): Promise<Json[]> => (await api.get(`/project/${projectId}/jobs`)).body.jobs;
    await until(async () => (await jobs()).filter(({ processed }) => processed === false).length === 2, 30_000);
    await api.delete(`/project/${projectId}/users`, { users: [developer.userId] });
    await api.delete(`/account/tokens/${tid}`);
    const [streamed, waited] = await followed;
    expect(streamed.text.trim().split('\n')).toHaveLength(1);
    const ids = [(JSON.parse(streamed.text) as { jobId: string }).jobId, waited.body.jobId] as string[];
    for (const id of ids) expect((await api.get(`/project/${projectId}/job/${id}/results`)).body).toMatchObject({ processed: false });
    release();
    for (const id of ids) expect(await ended(id)).toMatchObject({ total: 1, failed: 0 });
  });
});

/** Retries after 503 as Retry-After says. */
async function getWithRetry(path: string): Promise<Answer> {
  for (;;) {
    const answer = await api.get(path);
    if (answer.status !== 503) return answer;
    await new Promise((again) => setTimeout(again, Number(answer.headers.get('retry-after')) * 1_000));
  }
}

/** A group of one test whose page is held until `release`. */
async function heldGroup(): Promise<{ readonly area: string; readonly release: () => void }> {
  const area = (await api.post(`/project/${projectId}/areas`, { name: 'Held' })).body.id as string;
  await api.post(`/project/${projectId}/tests`, { areaId: area, url: '/held', name: 'Held' });
  let release: () => void = () => undefined;
  held = new Promise((resolve) => (release = resolve));
  return { area, release };
}

describe('GET /test/{id}/results', () => {
  const results = (query = ''): Promise<Json> => api.get(`/test/${bad}/results${query}`);

  it('lists runs newest first, page by page, with their findings', async () => {
    await api.get(`/project/${projectId}/start?keep-alive=true&tests=${bad}`);
    await api.get(`/project/${projectId}/start?keep-alive=true&tests=${bad}`);
    const { status, body } = await results();
    expect(status).toBe(200);
    expect(body.results.length).toBeGreaterThan(2);
    expect(body.results[0]).toMatchObject({
      testId: bad,
      areaId,
      status: 'error',
      failures: [expect.stringContaining('404')],
      httpStatus: '200',
    });
    for (const { response } of body.results as Json[]) {
      expect(response).toMatchObject({ status: 'ok', httpStatus: '200', baseUrl: `${site.url}/` });
      expect(response.httpHeader).toContain('text/html');
    }
    const instants = body.results.map(({ at }: Json) => at as string);
    expect(instants).toEqual([...instants].sort().reverse());
    const seen: string[] = [];
    for (let cursor = ''; ;) {
      const page = (await results(`?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`)).body;
      seen.push(...page.results.map(({ at }: Json) => at as string));
      if (page.nextCursor === null) break;
      cursor = page.nextCursor;
    }
    expect(seen).toEqual(instants);
  });

  it('lists a half-open period from its start up to its end', async () => {
    const all = (await results()).body.results.map(({ at }: Json) => at as string);
    const [newest, , oldest] = [all[0] as string, all[1], all.at(-1) as string];
    expect((await results(`?from=${oldest}&to=${newest}`)).body.results.map(({ at }: Json) => at as string)).toEqual(all.slice(1));
    expect((await results('?from=2020-01-01T00:00:00Z&to=2020-02-01T00:00:00Z')).body).toEqual({ results: [], nextCursor: null });
  });

  it.each(['from=yesterday', 'limit=0', 'limit=1001', 'cursor=x', 'from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z'])(
    'answers 400 for %s',
    async (query) => {
      expect((await results(`?${query}`)).status).toBe(400);
    },
  );

  it('requires the right to read the project', async () => {
    expect((await (await people.register('stranger')).api.get(`/test/${bad}/results`)).status).toBe(403);
  });
});

describe('project status', () => {
  if (isRelease)
    it('shows a failure only when it is confirmed, and then its recovery', async () => {
      const status = async (): Promise<Json> => (await api.get(`/test/${good}`)).body.status;
      expect(await status()).toMatchObject({ status: 'ok', failures: [] });
      broken = true;
      await api.put(`/test/${good}`, { rules: [{ type: 'status', op: 'eq', val: '200' }] });
      await api.get(`/project/${projectId}/start?keep-alive=true&tests=${good}`);
      expect(await status()).toMatchObject({ status: 'ok' });
      const newest = async (): Promise<Json> => (await api.get(`/test/${good}/results?limit=1`)).body.results[0];
      expect(await newest()).toMatchObject({ status: 'error', confirmed: false });
      await until(async () => (await status()).status === 'error', 40_000);
      expect(await newest()).toMatchObject({ status: 'error', confirmed: true, confirming: true });
      expect((await status()).failures).toEqual([expect.stringMatching(/200.*503/)]);
      const summary = (await api.get(`/project/${projectId}/status`)).body;
      expect(summary).toMatchObject({ project: { id: projectId, status: 'error' }, failed: 2 });
      expect((await api.get(`/project/${projectId}`)).body.status).toBe('error');
      broken = false;
      await api.get(`/project/${projectId}/start?keep-alive=true&tests=${good}`);
      expect(await status()).toMatchObject({ status: 'ok', failures: [] });
    });

  it('shows a run together with the status that it leads to, however late that is projected', async () => {
    const rules = [{ type: 'status', op: 'eq', val: '200' }];
    const { id } = (await api.post(`/project/${projectId}/tests`, { areaId, url: '/late', name: 'Late', rules })).body;
    const read = async (): Promise<Json> => {
      const [one, list, summary] = await Promise.all([
        api.get(`/test/${id as string}`),
        api.get(`/project/${projectId}/tests`),
        api.get(`/project/${projectId}/status`),
      ]);
      const listed = [...(list.body as Json[]), ...(summary.body.tests as Json[])].filter((test) => test.id === id);
      expect(listed.map(({ status }) => status)).toEqual([one.body.status, one.body.status]);
      expect(summary.body.project.lastRun).toBeGreaterThanOrEqual(one.body.status.lastRun as number);
      return one.body.status;
    };
    broken = true;
    await api.get(`/project/${projectId}/start?keep-alive=true&tests=${id as string}`);
    const failed = await read();
    expect(failed).toMatchObject({ status: 'error', response: { httpStatus: '503' } });
    broken = false;
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    const holding = await service.database.pool.connect();
    try {
      const table = `SELECT format('%I.verdict', schemaname) AS name FROM pg_tables WHERE tablename = 'verdict'`;
      const { rows: tables } = await holding.query<{ name: string }>(table);
      await holding.query(`BEGIN; LOCK TABLE ${tables.map(({ name }) => name).join(', ')} IN EXCLUSIVE MODE`);
      await api.get(`/project/${projectId}/start?tests=${id as string}`);
      const stored = async (): Promise<number> =>
        Number(
          (await service.observations.pool.query('SELECT at FROM latest_run WHERE check_id = $1', [Buffer.from(id as string, 'hex')]))
            .rows[0]?.at,
        );
      await until(async () => (await stored()) >= ((failed.lastRun as number) + 1) * 1000, 10_000, 'the stored run');
      const { httpStatus, size } = failed.response;
      expect(await read()).toMatchObject({ ...failed, response: { httpStatus, size } });
    } finally {
      await holding.query('COMMIT');
      holding.release();
    }
    await until(async () => (await api.get(`/test/${id as string}`)).body.status.status === 'ok', 10_000, 'the recovery');
    expect((await read()).lastRun).toBeGreaterThan(failed.lastRun as number);
  });

  it('answers the simple status in one word or one sentence', async () => {
    const { body } = await api.get(`/project/${projectId}/simple-status`);
    expect(body.tests.find(({ status }: Json) => status === 'OK')).toMatchObject({ name: 'Page', url: `${site.url}/` });
    expect(body.failed).toBe(1);
  });
});
