import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { PackCompactor } from '../../../src/platform/observations/packs/pack-compactor.ts';
import { sampleKind } from '../../../src/platform/observations/samples/postgres-samples.ts';
import { sampleAt } from '../../support/observations/sample.ts';
import type { ApiClient, Json } from '../../support/api-client.ts';
import { TestAccounts, type TestAccount } from '../../support/test-accounts.ts';
import { type Site, startHttp } from '../../support/servers/site.ts';
import type { TestService } from '../../support/service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { until } from '../../support/until.ts';

let service: TestService;
let site: Site;
let people: TestAccounts;
let owner: TestAccount;
let others: readonly TestAccount[];
let api: ApiClient;

beforeAll(async () => {
  site = await startHttp((request, response) => {
    response.statusCode = request.url === '/missing' ? 404 : 200;
    response.end('<title>Shop</title>Welcome');
  });
  service = await sharedService();
  people = new TestAccounts(service);
  owner = await people.register('owner');
  others = [await people.register('first'), await people.register('second')];
  api = owner.api;
});
afterAll(async () => {
  await people.deleteProjects();
  await site.close();
});

/** A project with the ids of all groups and tests that it ever had. */
class ProjectHistory {
  readonly areas: string[] = [];
  readonly tests: string[] = [];
  readonly windows: string[] = [];
  private readonly began = new Date().toISOString();
  private readings = 0;

  private constructor(readonly projectId: string) {}

  /** Without scheduled checks, so that only the steps change it. */
  static async create(): Promise<ProjectHistory> {
    const project = new ProjectHistory(await people.project(owner, site.url));
    await api.put(`/project/${project.projectId}`, { period: false, uptimeEnabled: false, httpsRedirectEnabled: false });
    await until(async () => (await api.get(`/project/${project.projectId}`)).body.isWordPress !== null, 15_000, 'the homepage analysis');
    return project;
  }

  get path(): string {
    return `/project/${this.projectId}`;
  }

  /** Every path with `asOf`, of existing and of deleted resources; of reports and lists a third in each reading. A report ends at the instant of the head. */
  paths(end: string): readonly string[] {
    const ofProject = ['', '/areas', '/tests', '/users', '/status', '/simple-status', '/notifications'].map((path) => this.path + path);
    const ofTests = this.tests.flatMap((id) => [`/test/${id}`, `/tests/${id}`, `/test/${id}/corrections`]);
    const span = `start=${this.began}&end=${end}`;
    const reports = [
      ...[`/uptime?${span}`, `/uptime?${span}&excludeMaintenance=announced`, `/uptime.svg?${span}`].map((path) => this.path + path),
      ...[`/responseTimes?${span}`, `/responseTimes?${span}&resolution=1000`, `/responseTimes.svg?${span}`].map((path) => this.path + path),
      ...[`${this.path}/maintenance`, '/projects', '/projects?sort=-title&limit=1', '/projects?status=unknown&search=shop&fields=title'],
      ...this.tests.slice(0, 2).map((id) => `/test/${id}/results?limit=20`),
    ];
    this.readings++;
    const chosen = reports.filter((_, index) => (index + this.readings) % 3 === 0);
    return [...ofProject, ...ofTests, ...this.areas.map((id) => `/area/${id}`), ...chosen];
  }

  /** A probe of now, and one that was delayed; then an event, whose position includes them. */
  async measure(outcome: 'up' | 'down' | 'timeout'): Promise<void> {
    const now = Date.now();
    const delayed = { ...sampleAt(now - 5_000), outcome, recordedAt: now };
    await new PackCompactor(service.observations.pool, sampleKind).write(this.projectId, [delayed, sampleAt(now, { outcome })]);
    await api.post(`${this.path}/maintenance`, { from: '2099-01-01T00:00:00Z', to: '2099-01-01T01:00:00Z' });
  }

  async head(): Promise<{ readonly position: string; readonly recordedAt: string }> {
    return (await api.get(`${this.path}/history?limit=1`)).body.events[0];
  }
}

interface Remembered {
  readonly path: string;
  readonly position: string;
  readonly instant: string;
  readonly status: number;
  readonly text: string;
}

/** Fields that depend on the clock differ between two reads. */
const timeless = (text: string): string =>
  text.replace(/"(now|nextRun|sslDaysLeft)":-?\d+/g, '"$1":0').replace(/"requestId":"[^"]+"/, '"requestId":""');

/** Reads every path at one position; repeats if an event, such as a confirming run, was appended in between. */
async function remember(project: ProjectHistory): Promise<readonly Remembered[]> {
  for (;;) {
    const { position, recordedAt } = await project.head();
    // Instants have milliseconds: use the next one.
    const instant = new Date(Date.parse(recordedAt) + 1).toISOString();
    const paths = project.paths(new Date(recordedAt).toISOString());
    const answers = await Promise.all(paths.map(async (path) => ({ path, ...(await api.get(path)) })));
    if ((await project.head()).position !== position) continue;
    return answers.map(({ path, status, text }) => ({ path, position, instant, status, text: timeless(text) }));
  }
}

const pick = <T>(items: readonly T[], nth: number): T | undefined => items[nth % Math.max(1, items.length)];
const word = fc.constantFrom('Shop', 'Store', 'Ümläut "quoted"', '=1+1', '');
const rule = fc.constantFrom(
  { type: 'text', op: 'sub', val: 'Welcome' },
  { type: 'title', op: 'eq', val: 'Store' },
  { type: 'status', op: 'eq', val: 200 },
);
const nth = fc.nat(20);

type Step = (project: ProjectHistory) => Promise<unknown>;
const step = <Given>(given: fc.Arbitrary<Given>, act: (given: Given, project: ProjectHistory) => Promise<unknown>): fc.Arbitrary<Step> =>
  given.map((value) =>
    Object.assign((project: ProjectHistory) => act(value, project), { toString: () => `${act.name} ${JSON.stringify(value)}` }),
  );
const some = <Shape extends object>(shape: { readonly [Name in keyof Shape]: fc.Arbitrary<Shape[Name]> }) =>
  fc.record<Shape>(shape, { requiredKeys: [] });

const settings = some({
  title: word.filter((text) => text !== ''),
  period: fc.constantFrom(false, '1 hour', '7 days'),
  timeout: fc.integer({ min: 1, max: 60 }),
  delay: fc.integer({ min: 0, max: 50 }),
  sslAlertPeriod: fc.integer({ min: 1, max: 365 }),
  checkDefaultErrors: fc.boolean(),
  webPushEnabled: fc.boolean(),
});
const test = some({
  name: word,
  url: fc.constantFrom('/', '/a?b=c', '/missing'),
  enabled: fc.boolean(),
  notice: word,
  rules: fc.array(rule, { maxLength: 3 }),
  options: fc.constantFrom({ g: true }, { w: 'X-A: 1' }, { l: true, w: '' }),
});
const area = some({
  name: word.filter((text) => text !== ''),
  rules: fc.array(rule, { maxLength: 2 }).map((rules) => [rules]),
  period: fc.constantFrom('true', '1 day'),
  httpAuth: fc.constant({ user: 'u', password: 'p' }),
});
const role = fc.constantFrom('4', '5', '6');

const steps = fc.array(
  fc.oneof(
    step(settings, (given, project) => api.put(project.path, given)),
    step(area, async (given, project) => {
      const { body } = await api.post(`${project.path}/areas`, Object.assign({ name: 'New' }, given));
      project.areas.push(body.id as string);
    }),
    step(fc.tuple(nth, area), ([at, given], project) => api.put(`/area/${pick(project.areas, at) ?? '0'}`, given)),
    step(fc.tuple(nth, test), async ([at, given], project) => {
      const areaId = pick(project.areas, at);
      const { status, body } = await api.post(
        `${project.path}/tests`,
        Object.assign({ url: '/' }, given, areaId === undefined ? {} : { areaId }),
      );
      if (status === 200) project.tests.push(body.id as string);
    }),
    step(fc.tuple(nth, test), ([at, given], project) => api.put(`/test/${pick(project.tests, at) ?? '0'}`, given)),
    step(nth, (at, project) => api.delete(`/test/${pick(project.tests, at) ?? '0'}`)),
    step(nth, (at, project) => (at > 3 ? Promise.resolve() : api.delete(`/area/${pick(project.areas, at) ?? '0'}`))),
    step(fc.tuple(nth, role), async ([at, given], project) => {
      const other = pick(others, at);
      if (other !== undefined) await people.join(project.projectId, owner, other, given);
    }),
    step(fc.tuple(nth, role), ([at, given], project) =>
      api.put(`${project.path}/users/${String(pick(others, at)?.userId)}`, { role: given }),
    ),
    step(nth, (at, project) => api.delete(`${project.path}/users`, { users: [pick(others, at)?.userId] })),
    step(some({ severity: fc.constantFrom(1, 3), slack: fc.boolean(), email: fc.boolean() }), (given, project) =>
      api.post(`${project.path}/notifications`, given),
    ),
    step(fc.constantFrom('up' as const, 'down' as const, 'timeout' as const), (outcome, project) => project.measure(outcome)),
    // It begins and ends minutes away from the steps, so that it is active throughout them or not at all.
    step(fc.integer({ min: -5, max: 5 }), async (tens, project) => {
      const [from, to] = [tens - 6, tens].map((away) => new Date(Date.now() + (away * 10 + 5) * 60_000).toISOString());
      const { body } = await api.post(`${project.path}/maintenance`, { from, to, note: 'tried' });
      project.windows.push(body.id as string);
    }),
    step(nth, (at, project) => api.delete(`${project.path}/maintenance/${pick(project.windows, at) ?? '0'}`)),
    step(fc.constant('everything'), (_, project) => api.get(`${project.path}/start?keep-alive=true`)),
    step(fc.tuple(nth, rule), ([at, given], project) =>
      api.post(`/test/${pick(project.tests, at) ?? '0'}/corrections`, { from: '2026-01-01T00:00:00Z', rules: [given], reason: 'tried' }),
    ),
  ),
  { minLength: 30, maxLength: 30 },
);

describe('asOf after random changes', () => {
  it('answers every path byte for byte as it was answered at that instant', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (made) => {
        const project = await ProjectHistory.create();
        const remembered: Remembered[] = [];
        for (const act of made) {
          await act(project);
          remembered.push(...(await remember(project)));
        }
        expect(new Set(remembered.map(({ position }) => position)).size).toBeGreaterThan(5);
        for (const [at, { path, position, instant, status, text }] of remembered.entries()) {
          // Every answer by position, and one in seven by time.
          for (const asOf of at % 7 === 0 ? [position, instant] : [position]) {
            const answer = await api.get(`${path}${path.includes('?') ? '&' : '?'}asOf=${asOf}`);
            expect([path, asOf, answer.status, timeless(answer.text)]).toEqual([path, asOf, status, text]);
            if (status === 200) expect(answer.headers.get('watchledger-as-of')).toBe(position);
          }
        }
        // A run that confirms a failure would change its line in the lists of the next one.
        await api.delete(project.path);
      }),
      { numRuns: 2, endOnFailure: true },
    );
  });

  it('answers for a resource that never existed as for an unknown one', async () => {
    const unknown = 'f'.repeat(24);
    const position = (await (await ProjectHistory.create()).head()).position;
    for (const path of [`/project/${unknown}`, `/project/${unknown}/tests`, `/test/${unknown}`, `/area/${unknown}`]) {
      const [now, then] = [(await api.get(path)) as Json, (await api.get(`${path}?asOf=${position}`)) as Json];
      expect([path, then.status, timeless(then.text)]).toEqual([path, now.status, timeless(now.text)]);
    }
  });
});
