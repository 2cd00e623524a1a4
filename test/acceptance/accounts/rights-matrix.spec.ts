import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FailuresByHourModule } from '../../../examples/failures-by-hour/failures-by-hour.module.ts';
import { HttpModule } from '../../../src/app/http.module.ts';
import type { Right } from '../../../src/accounts/rights/right.ts';
import { routesOf } from '../../../src/accounts/rights/routes-of.ts';
import type { ApiClient } from '../../support/api-client.ts';
import { PASSWORD, TestAccounts, type TestAccount } from '../../support/test-accounts.ts';
import { TestService } from '../../support/service.ts';
import { thorough } from '../../support/thorough.ts';
import { until } from '../../support/until.ts';
import { errorBody, withoutRequestId } from '../../support/error-body.ts';

/** The rights by docs/spec, written again independently of the service's table. */
const holds: Readonly<Record<string, readonly string[]>> = {
  guest: ['read', 'member'],
  developer: ['read', 'run', 'editTests', 'apiKey', 'member', 'evidence'],
  admin: ['read', 'run', 'editTests', 'edit', 'manageUsers', 'apiKey', 'member', 'evidence'],
  owner: ['read', 'run', 'editTests', 'edit', 'manageUsers', 'apiKey', 'member', 'owner', 'evidence'],
  'system auditor': ['read', 'evidence'],
};
const callers = [
  'no token',
  'bad token',
  'expired',
  'revoked',
  'unconfirmed',
  'plan without API',
  'outsider',
  'guest',
  'developer',
  'admin',
  'owner',
  'system auditor',
  'system admin',
] as const;
type CallerName = (typeof callers)[number];
const unauthenticated: readonly string[] = ['no token', 'bad token', 'expired', 'revoked'];

const ofTeams = new Set(routesOf(FailuresByHourModule).map(({ operation }) => operation));
const rights = new Map([...routesOf(HttpModule), ...routesOf(FailuresByHourModule)].map(({ operation, right }) => [operation, right]));
const routes = [...rights.keys()].toSorted();
const rightFor = (route: string): Right | undefined => rights.get(route);

const clientFor = (route: string, client: ApiClient): ApiClient => (ofTeams.has(route) ? client.ofTeams() : client);

function expected(right: Right, caller: CallerName): 401 | 403 | 'let through' {
  if (right.kind === 'public') return 'let through';
  if (unauthenticated.includes(caller)) return 401;
  if (caller === 'unconfirmed') return right.kind === 'account' && right.unconfirmed ? 'let through' : 403;
  if (right.kind === 'account') return 'let through';
  if (caller === 'plan without API') return 403;
  if (right.kind === 'caller') return 'let through';
  if (right.kind === 'creator') return caller === 'system auditor' ? 403 : 'let through';
  if (right.kind === 'system') {
    const system = right.who === 'reader' ? ['system admin', 'system auditor'] : ['system admin'];
    return system.includes(caller) ? 'let through' : 403;
  }
  return (holds[caller] ?? []).includes(right.needs) ? 'let through' : 403;
}

/** Each call needs a project, group or check of its own. */
const deletes = (route: string): boolean => /^DELETE \/(project|tests?|area)\/:\w+$/.test(route);
/** A route of each kind of right, apart from the scopes of narrowed tokens; one that deletes where there is no other. */
const firstOfRight = new Set(
  new Map(
    [...routes.filter(deletes), ...routes.filter((route) => !deletes(route)).toReversed()].map((route) => [
      JSON.stringify({ ...rightFor(route), scope: 0, unknown: 0, withFacts: 0 }),
      route,
    ]),
  ).values(),
);
const rolesOfProject = ['outsider', 'guest', 'developer', 'admin', 'owner'] as const;

/** Daily every caller on one route of each right; on the others no token, an outsider and the highest role that is refused. */
function callersOf(route: string, right: Right): readonly CallerName[] {
  if (thorough(true, firstOfRight.has(route))) return callers;
  const highestRefused = rolesOfProject.findLast((role) => expected(right, role) === 403);
  return [...new Set<CallerName>(['no token', 'outsider', highestRefused ?? 'outsider'])];
}

const EXAMPLE = resolve(import.meta.dirname, '../../../examples/failures-by-hour');

let service: TestService;
let people: TestAccounts;
let owner: TestAccount;
let clients: Record<CallerName, ApiClient>;
let projectId: string;

/** A project with all roles in it. */
let staff: { readonly guest: TestAccount; readonly developer: TestAccount; readonly admin: TestAccount; readonly poor: TestAccount };
async function staffed(): Promise<string> {
  const id = await people.project(owner);
  await people.join(id, owner, staff.admin, '4');
  await people.join(id, owner, staff.developer, '5');
  await people.join(id, owner, staff.guest, '6');
  await people.join(id, owner, staff.poor, '4');
  return id;
}
const made = async (path: string, body: object): Promise<string> => {
  const { status, text, body: object } = await owner.api.post(path, body);
  return status === 200 ? (object.id as string) : failed(`${path} was answered ${String(status)} ${text}`);
};
const area = (project: string): Promise<string> => made(`/project/${project}/areas`, { name: 'group' });
const test = (project: string, areaId: string): Promise<string> => made(`/project/${project}/tests`, { url: '/', areaId });
/** A group and a check that no operation deletes. */
let lasting: { readonly areaId: string; readonly testId: string };

beforeAll(async () => {
  service = await TestService.start({ env: { REGISTRATION: 'open', RATE_LIMIT: '0', PROJECTIONS: EXAMPLE } });
  people = new TestAccounts(service);
  const names = ['owner', 'guest', 'developer', 'admin', 'outsider', 'auditor', 'poor'] as const;
  const registered: Record<string, TestAccount> = {};
  for (const name of names) registered[name] = await people.register(name);
  const named = (name: (typeof names)[number]): TestAccount => registered[name] ?? failed(name);
  owner = named('owner');
  staff = { guest: named('guest'), developer: named('developer'), admin: named('admin'), poor: named('poor') };
  await people.administer(owner, { plan: 'unlimited' });
  await people.administer(named('auditor'), { systemRole: 'auditor' });
  projectId = await staffed();
  const areaId = await area(projectId);
  lasting = { areaId, testId: await test(projectId, areaId) };
  await people.administer(staff.poor, { plan: 'free' });
  const expired = await people.anonymous.signIn(owner.email, PASSWORD, '+1 second');
  const revoked = (await owner.api.post('/account/tokens', { name: 'revoked' })).body as { tid: string; token: string };
  await owner.api.delete(`/account/tokens/${revoked.tid}`);
  await until(async () => (await expired.get('/projects')).status === 401, 5_000);
  clients = {
    'no token': people.anonymous,
    'bad token': people.anonymous.as('bad.token.indeed'),
    expired,
    revoked: people.anonymous.as(revoked.token),
    unconfirmed: (await people.registerUnconfirmed()).api,
    'plan without API': staff.poor.api,
    outsider: named('outsider').api,
    guest: staff.guest.api,
    developer: staff.developer.api,
    admin: staff.admin.api,
    owner: owner.api,
    'system auditor': named('auditor').api,
    'system admin': (await people.admin()).api,
  };
});
afterAll(() => service.stop());

function failed(what: string): never {
  throw new Error(what);
}

/** A path of existing resources; of new ones where the operation would delete them. */
async function pathOf(method: string, path: string): Promise<string> {
  const own = deletes(`${method} ${path}`);
  const project = own ? await staffed() : projectId;
  const noun = path.split('/')[1] ?? '';
  const areaId = own ? await area(project) : lasting.areaId;
  const testId = own ? await test(project, areaId) : lasting.testId;
  const first = { area: areaId, test: testId, tests: testId, accounts: '424242' }[noun] ?? project;
  const rest = path
    .replace(/:\w+/, first)
    .replace(':areaId', areaId)
    .replace(/:\w+/g, () => randomBytes(12).toString('hex'));
  // Lets the endless stream answer at once.
  const query = /^\/tests?$/.test(path) ? `?projectId=${project}` : path.endsWith('/live') ? '?lastEventId=none' : '';
  return rest.replace(/\*.*$/, '0/000') + query;
}

/** Operations whose nested ids do not exist: 404 or 403 is about the id, not the caller. */
const namesSomethingElse = /:(jobId|JobId|eventId|windowId|name|channel|tid|userId)|\*/;
/** Operations that would end their caller are sent by a spare account. */
const endsItsCaller = ['DELETE /account', 'DELETE /authenticate', 'DELETE /session'];

describe('every operation with every role', () => {
  it('is in the description of the running service, including those of teams', async () => {
    const { paths } = (await people.anonymous.get('/openapi.json')).body as { readonly paths: Readonly<Record<string, object>> };
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const named = routes.map((route) => route.replace(/:(\w+)/g, '{$1}').replace('*', '{tile}'));
    expect(named.filter((route) => !described.includes(route))).toEqual([]);
  });

  it('states the right it requires', () => {
    expect(routes.filter((route) => rightFor(route) === undefined)).toEqual([]);
  });

  it.each(routes.filter((route) => !endsItsCaller.includes(route)))('%s', async (route) => {
    const right = rightFor(route);
    if (right === undefined) return;
    const [method = '', path = ''] = route.split(' ');
    for (const caller of callersOf(route, right)) {
      const wanted = expected(right, caller);
      const answer = await clientFor(route, clients[caller])
        .with({ accept: 'application/json' })
        .send(method, await pathOf(method, path), method === 'GET' ? undefined : {});
      const got = answer.status === 401 || answer.status === 403 ? answer.status : 'let through';
      const excused = wanted === 'let through' && got === 403 && namesSomethingElse.test(path);
      expect([caller, excused ? wanted : got, answer.status < 500]).toEqual([caller, wanted, true]);
      if (wanted !== 'let through') expect(answer.body).toEqual(errorBody(wanted));
    }
  });

  it.each(routes.filter((route) => rightFor(route)?.kind === 'project'))('%s: an unknown id', async (route) => {
    const right = rightFor(route);
    const [method = '', path = ''] = route.split(' ');
    const unknown = path.replace(/:\w+/g, () => randomBytes(12).toString('hex'));
    const query = /^\/tests?$/.test(path) ? `?projectId=${randomBytes(12).toString('hex')}` : '';
    const answer = await clientFor(route, owner.api).send(method, unknown + query, method === 'GET' ? undefined : {});
    expect(answer.status).toBe(right?.kind === 'project' ? right.unknown : 0);
    if (answer.status === 403) {
      const outsiders = await clientFor(route, clients.outsider).send(
        method,
        await pathOf(method, path),
        method === 'GET' ? undefined : {},
      );
      expect(withoutRequestId(answer)).toEqual(withoutRequestId(outsiders));
    }
  });

  it.each(['/authenticate', '/session'])('DELETE %s, with a session made for it', async (path) => {
    for (const caller of unauthenticated) expect((await clients[caller as CallerName].delete(path)).status).toBe(401);
    for (const spare of [await people.register(), await people.registerUnconfirmed()])
      expect((await spare.api.delete(path)).status).toBe(200);
  });

  it('DELETE /account, with an account made for it', async () => {
    for (const caller of unauthenticated) expect((await clients[caller as CallerName].delete('/account')).status).toBe(401);
    const spare = await people.register();
    await people.administer(spare, { plan: 'free' });
    expect((await spare.api.delete('/account')).status).toBe(200);
  });
});
