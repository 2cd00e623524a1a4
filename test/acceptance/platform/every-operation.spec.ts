import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { asOfRoutes } from '../../../src/platform/http/as-of/as-of-routes.ts';
import { operationTable } from '../../../src/app/operation-table.ts';
import { apiRights, matchedOperations } from '../../../src/app/api-rights.ts';
import type { Answer, ApiClient, Json } from '../../support/api-client.ts';
import { watchledger } from '../../support/command-line.ts';
import { receiptOf } from '../../support/receipt-of.ts';
import { TestAccounts } from '../../support/test-accounts.ts';
import { TestService } from '../../support/service.ts';
import { isRelease } from '../../support/thorough.ts';
import { until } from '../../support/until.ts';

const AT_ONCE = 10;
const UNKNOWN = 'a'.repeat(24);
const operations = Object.keys(operationTable);

const MASTER_KEY = 'cd'.repeat(32);

let folder: string;
let service: TestService;
let admin: ApiClient;
let anonymous: ApiClient;
let projectId: string;
let ids: Readonly<Record<string, string>>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'watchledger-operations-'));
  service = await TestService.start({ env: { MASTER_KEY, REGISTRATION: 'open', RATE_LIMIT: '0' } });
  const people = new TestAccounts(service);
  const account = await people.admin();
  ({ anonymous } = people);
  admin = account.api;
  projectId = await people.project(account);
  const area: Json = await admin.post(`/project/${projectId}/areas`, { name: 'Group' });
  const test: Json = await admin.post(`/project/${projectId}/tests`, { url: '/', areaId: area.body.id });
  const idsOf = async (base: string, role: string): Promise<Record<string, string>> => ({
    [`${base}/sid`]: (await admin.post(`${base}/service-accounts`, { name: 'program', role })).body.id as string,
    [`${base}/did`]: (await admin.post(`${base}/destinations`, { name: 'd', url: 'https://example.com/', types: ['ProjectDeleted'] })).body
      .id as string,
  });
  const own = { ...(await idsOf('', 'auditor')), ...(await idsOf(`/project/${projectId}`, '6')) };
  const page: Json = await admin.post('/status-pages', { slug: 'every', title: 'Every', groups: [siteOf(projectId)] });
  ids = {
    ...{ ...own, project: projectId, area: area.body.id as string, test: test.body.id as string, tests: test.body.id as string },
    'status-pages': page.body.id as string,
  };
  // Until then the answer of /ops/consumers has another lag each time.
  const gaps = async (): Promise<readonly number[]> =>
    ((await admin.get('/ops/consumers')).body.consumers as readonly { readonly gap: number }[]).map(({ gap }) => gap);
  await until(async () => (await gaps()).every((gap) => gap === 0), 30_000, 'that the consumers are up to date');
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

const siteOf = (project: string): object => ({ items: [{ name: 'Site', project }] });

/** The path of an operation with objects that exist, as far as `named` has them. */
function pathOf(operation: string, named: Readonly<Record<string, string>>): string {
  const [, route = ''] = operation.split(' ');
  const noun = route.split('/')[1] ?? '';
  const owner = noun === 'project' ? `/project/${projectId}` : '';
  return route
    .replace('*', '0/000')
    .replace(/:(\w+)/g, (_, name: string) =>
      name === 'id' ? (named[noun] ?? UNKNOWN) : (named[name === 'areaId' ? 'area' : `${owner}/${name}`] ?? UNKNOWN),
    );
}

/** Without which there is no answer to sign. */
const RECEIPT_QUERIES: Readonly<Record<string, string>> = {
  'GET /project/:id/compare': '?from=0&to=1',
  'GET /project/:id/statement': '?month=2026-01&format=json',
  'GET /ledger/consistency': '?from=1&to=1',
  'GET /projects/figures': `?ids=${UNKNOWN}`,
};

/** Of those that measurements enter, one of each kind: every answer takes a start of the program's API. */
const COMPUTED_AGAIN = new Set([
  'GET /projects',
  'GET /projects/overview',
  'GET /account/deliveries',
  'GET /project/:id/status',
  'GET /test/:id/results',
]);

const methodOf = (operation: string): string => operation.split(' ', 1)[0] ?? '';
const changes = (operation: string): boolean => methodOf(operation) !== 'GET' || /\/(create|start|callback)/.test(operation);

const UNKNOWN_PARAMETER = 'no-such-parameter';
/** They refuse a parameter that they do not know, instead of ignoring it (docs/spec/beyond.md#B16). */
const REFUSE_UNKNOWN = new Set([
  'GET /projects',
  'GET /accounts',
  'GET /project/:id/jobs',
  'GET /project/:id/history',
  'GET /history',
  'GET /events',
]);

/** Of one answer, not of the operation. */
const OF_ONE_ANSWER = new Set([
  'connection',
  'content-length',
  'date',
  'keep-alive',
  'set-cookie',
  'location',
  'transfer-encoding',
  'watchledger-as-of',
  'x-request-id',
]);
const headersOf = ({ headers }: Answer): string => JSON.stringify([...headers].filter(([name]) => !OF_ONE_ANSWER.has(name)).toSorted());

/** The operations for which `seen` is not as wanted. */
async function walk(chosen: readonly string[], seen: (operation: string) => Promise<string | null>): Promise<readonly string[]> {
  const found: (string | null)[] = [];
  for (let first = 0; first < chosen.length; first += AT_ONCE) {
    const problems = await Promise.all(chosen.slice(first, first + AT_ONCE).map(async (each) => [each, await seen(each)] as const));
    found.push(...problems.map(([operation, problem]) => (problem === null ? null : `${operation}: ${problem}`)));
  }
  return found.filter((problem) => problem !== null);
}

/** The rule is one for all of them. */
const someOperations = operations.filter((_, index) => isRelease || index % 4 === 0);

describe('every operation', () => {
  it('answers the same with a slash at the end of its path', async () => {
    const problems = await walk(someOperations, async (operation) => {
      const client = changes(operation) || operation.endsWith('/live') ? anonymous : admin;
      const body = methodOf(operation) === 'GET' ? undefined : [];
      const path = pathOf(operation, ids);
      const [plain, slashed] = [
        await client.send(methodOf(operation), path, body),
        await client.send(methodOf(operation), `${path}/`, body),
      ];
      return plain.status === slashed.status ? null : `${String(plain.status)}, with a slash ${String(slashed.status)}`;
    });
    expect(problems).toEqual([]);
  });

  it('answers HEAD as GET without the body, and only where GET changes nothing', async () => {
    const reads = operations.filter((operation) => methodOf(operation) === 'GET');
    const problems = await walk(reads, async (operation) => {
      const client = operation.endsWith('/live') ? anonymous : admin;
      const path = pathOf(operation, ids);
      if (changes(operation)) {
        const head = await client.send('HEAD', path);
        const allow = head.headers.get('allow') ?? '';
        const isRefused = head.status === 404 && head.text === '' && allow.includes('GET') && !allow.includes('HEAD');
        return isRefused ? null : `changes something, HEAD ${String(head.status)}`;
      }
      let different = '';
      // The answer, and its tag with it, may change in between.
      for (let tries = 0; tries < 3; tries++) {
        const before = await client.get(path);
        const head = await client.send('HEAD', path);
        const after = await client.get(path);
        if (head.text !== '') return 'has a body';
        if (after.status !== head.status) return `${String(after.status)}, HEAD ${String(head.status)}`;
        if ([before, after].some((get) => headersOf(get) === headersOf(head))) return null;
        different = `${headersOf(after)}, HEAD ${headersOf(head)}`;
      }
      return different;
    });
    expect(problems).toEqual([]);
  });

  it('answers GET and HEAD with If-None-Match 304 for the tag of their answer, and after a change another tag', async () => {
    const reads = operations.filter((operation) => methodOf(operation) === 'GET' && !operation.endsWith('/live'));
    const tags = new Map<string, string>();
    const problems = await walk(reads, async (operation) => {
      const path = pathOf(operation, ids);
      if (changes(operation)) {
        const changing = await anonymous.with({ 'if-none-match': '*' }).get(path);
        return changing.status === 304 ? 'changes something, and is 304' : null;
      }
      // An answer may change with the clock in between.
      for (let tries = 0; tries < 3; tries++) {
        const first = await admin.get(path);
        const tag = first.headers.get('etag');
        const any = await admin.with({ 'if-none-match': '*' }).get(path);
        if (first.status !== 200) {
          if (tag !== null || any.status === 304) return `${String(first.status)} with a tag, or 304`;
          return (await anonymous.with({ 'if-none-match': '*' }).get(path)).status === 304 ? '304 without a token' : null;
        }
        if (tag === null) return any.status === 200 ? null : 'no tag, and 304';
        if (any.status !== 304 || any.text !== '') return `If-None-Match: * is ${String(any.status)}`;
        tags.set(operation, tag);
        const conditional = admin.with({ 'if-none-match': `"other", W/${tag}` });
        const [get, head] = [await conditional.get(path), await conditional.send('HEAD', path)];
        const unchanged = [get, head].filter(({ headers }) => headers.get('etag') === tag);
        if (unchanged.some(({ status, text }) => status !== 304 || text !== ''))
          return `${String(get.status)}, HEAD ${String(head.status)}`;
        if (unchanged.length === 2) return null;
      }
      return 'has another tag each time';
    });
    expect(problems).toEqual([]);
    expect(tags.size).toBeGreaterThan(30);
    await admin.put(`/project/${projectId}`, { title: `Retitled ${String(Date.now())}` });
    await admin.put(`/test/${ids['test'] ?? ''}`, { name: `Renamed ${String(Date.now())}` });
    const changed = [
      'GET /project/:id',
      'GET /projects',
      'GET /test/:id',
      'GET /tests/:id',
      'GET /project/:id/tests',
      'GET /project/:id/history',
    ];
    for (const operation of changed) {
      const answer = await admin.with({ 'if-none-match': tags.get(operation) ?? '' }).get(pathOf(operation, ids));
      expect([operation, answer.status, answer.headers.get('etag') === tags.get(operation)]).toEqual([operation, 200, false]);
    }
  });

  if (isRelease)
    it('signs the answer of every GET with a token, and computes them again from the log', async () => {
      const kinds = new Map<string, string>();
      const files = new Map<string, string>();
      const problems = await walk(
        operations.filter((operation) => methodOf(operation) === 'GET' && !changes(operation) && !operation.endsWith('/live')),
        async (operation) => {
          const path = `${pathOf(operation, ids)}${RECEIPT_QUERIES[operation] ?? ''}`;
          const answer = await admin.with({ 'accept-signature': 'receipt=()' }).get(path);
          const { status, headers } = answer;
          const isSigned = headers.get('signature') !== null;
          const isUnsigned = status !== 200 || apiRights[operation]?.kind === 'public' || operation.endsWith('/export');
          if (isUnsigned || !isSigned) return isUnsigned && !isSigned ? null : `${String(status)}, ${isSigned ? 'signed' : 'not signed'}`;
          const route = `/api${operation.slice('GET '.length)}`;
          const wanted = asOfRoutes.ofLog.includes(route) ? 'log' : 'service';
          const [, statementOf = ''] = /^statement-of=(\w+),/.exec(headers.get('watchledger-receipt') ?? '') ?? [];
          kinds.set(operation, statementOf);
          if ((statementOf === 'log' && !route.startsWith('/api/tests/')) || COMPUTED_AGAIN.has(operation)) {
            const file = join(folder, String(files.size));
            files.set(operation, file);
            await writeFile(file, receiptOf(`${service.url}/api${path}`, answer) ?? '');
          }
          return statementOf === wanted ? null : `of ${statementOf}, not of ${wanted}`;
        },
      );
      expect(problems).toEqual([]);
      expect([...kinds.values()].filter((kind) => kind === 'log').length).toBeGreaterThanOrEqual(8);
      expect(files.size).toBeGreaterThanOrEqual(7 + COMPUTED_AGAIN.size);
      await admin.put(`/project/${projectId}`, { title: `Renamed since ${String(Date.now())}` });
      const env = { DATABASE_URL: service.database.url, MASTER_KEY };
      const computed = await Promise.all([...files.values()].map((file) => watchledger(env, 'recompute', file).ran));
      expect(
        [...files.keys()].flatMap((operation, at) => (computed[at]?.status === 0 ? [] : [`${operation}: ${JSON.stringify(computed[at])}`])),
      ).toEqual([]);
    });

  it('answers 412 to the tag of other settings wherever it takes If-Match, and 400 wherever it has nothing to compare', async () => {
    const client = admin.with({ 'if-match': `"${'x'.repeat(22)}.y"` });
    const bodies: Readonly<Record<string, object>> = {
      'PUT /account/channels/:channel': { url: 'https://example.com/hook' },
      'PUT /status-pages/:id': { slug: 'every', title: 'Other', groups: [siteOf(projectId)] },
    };
    const { id: userId } = (await admin.get('/account')).body as { readonly id: string };
    const problems = await walk(operations.filter(changes), async (operation) => {
      const route = operation.replace(':channel', 'webhook').replace(':userId', userId);
      const body = bodies[operation] ?? operationTable[operation]?.body?.example;
      const isPublic = apiRights[operation]?.kind === 'public';
      const { status, body: answer } = await client.send(
        methodOf(operation),
        pathOf(route, ids),
        methodOf(operation) === 'GET' ? undefined : body,
      );
      if (matchedOperations.has(operation))
        return status === 412 && answer.etag !== undefined ? null : `${String(status)} ${String(answer?.message)}`;
      return isPublic || status === 403 || status === 404 || (status === 400 && answer.param === 'If-Match') ? null : String(status);
    });
    expect(problems).toEqual([]);
    expect((await admin.get(`/project/${projectId}`)).status).toBe(200);
  });

  it('answers OPTIONS with the methods of its path, and states them when it refuses another', async () => {
    const problems = await walk(operations, async (operation) => {
      const path = pathOf(operation, ids);
      const options = await anonymous.send('OPTIONS', `${path}?x=1`);
      const allow = options.headers.get('allow') ?? '';
      if (options.status !== 204 || !allow.split(', ').includes(methodOf(operation))) return `${String(options.status)} ${allow}`;
      const other = ['PATCH', 'DELETE', 'PUT', 'POST'].find((method) => !allow.includes(method));
      if (other === undefined) return null;
      const refused = await anonymous.send(other, path);
      return refused.status === 404 && refused.headers.get('allow') === allow ? null : `${other} ${String(refused.status)}`;
    });
    expect(problems).toEqual([]);
    for (const path of ['/health/live', '/docs', '/docs/errors', '/api/openapi.json']) {
      const { status, headers } = await fetch(`${service.url}${path}`, { method: 'OPTIONS' });
      expect([path, status, headers.get('allow')]).toEqual([path, 204, 'GET, HEAD, OPTIONS']);
    }
  });

  it('ignores an unknown query parameter, or names it where its list refuses them', async () => {
    const problems = await walk([...new Set([...REFUSE_UNKNOWN, ...someOperations])], async (operation) => {
      const isRead = methodOf(operation) === 'GET';
      const mayEnd = methodOf(operation) === 'DELETE' || (isRead && changes(operation)) || operation.endsWith('/live');
      const client = mayEnd ? anonymous : admin;
      const ask = (query: string): Promise<Answer> =>
        client.send(methodOf(operation), pathOf(operation, ids) + query, isRead ? undefined : []);
      const [plain, more] = [await ask(''), await ask(`?${UNKNOWN_PARAMETER}=1`)];
      if (REFUSE_UNKNOWN.has(operation)) return more.status === 400 && more.body.param === UNKNOWN_PARAMETER ? null : String(more.status);
      return plain.status === more.status && plain.status < 500 ? null : `${String(plain.status)}, with it ${String(more.status)}`;
    });
    expect(problems).toEqual([]);
  });

  it('answers an unknown id with 404 where the interface lists it, elsewhere as a project of others', async () => {
    const ofProjects = operations.filter((operation) => apiRights[operation]?.kind === 'project' && operation.includes(':'));
    const problems = await walk(ofProjects, async (operation) => {
      const right = apiRights[operation];
      const wanted = right?.kind === 'project' ? right.unknown : 0;
      const { status } = await admin.send(methodOf(operation), pathOf(operation, {}), methodOf(operation) === 'GET' ? undefined : {});
      return status === wanted ? null : `${String(status)} instead of ${String(wanted)}`;
    });
    expect(problems).toEqual([]);
    const job = await admin.get(`/project/${projectId}/job/${UNKNOWN}/results`);
    const foreign = await admin.get(`/project/${UNKNOWN}/job/${UNKNOWN}/results`);
    expect([job.status, job.body.message]).toEqual([403, foreign.body.message]);
  });

  it('takes the calls of clients that were recorded with a slash', async () => {
    expect((await admin.get(`/project/${projectId}/`)).body).toMatchObject({ id: projectId });
    const created: Json = await admin.post(`/test/?projectId=${projectId}`, { url: '/recorded' });
    expect([created.status, created.body.url]).toEqual([200, expect.stringContaining('/recorded')]);
  });

  it('refuses a body of the wrong type with the members for programs', async () => {
    const withBody = operations.filter((operation) => operationTable[operation]?.body?.input !== undefined);
    const problems = await walk(withBody, async (operation) => {
      const answer: Json = await admin.send(methodOf(operation), pathOf(operation, ids), 'text');
      const { errorCode, docs, requestId, message } = answer.body ?? {};
      if (answer.status === 200) return 'accepted';
      if (answer.headers.get('watchledger-error-code') === null) return `${String(answer.status)} without its code in a header`;
      const isBare = Object.keys(answer.body ?? {}).join() === 'message';
      const isWhole = docs === `/docs/errors#${errorCode as string}` && requestId === answer.headers.get('x-request-id');
      return isBare || isWhole ? null : `${String(answer.status)} ${message as string} without them`;
    });
    expect(problems).toEqual([]);
    const page = await fetch(`${service.url}/docs/errors`);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('id="INVALID_INPUT"')]);
  });

  it('repeats a refusal by its Idempotency-Key with the id of the repeat', async () => {
    const keyed = admin.with({ 'idempotency-key': 'refused-twice' });
    const answers: Json[] = [];
    for (let n = 0; n < 2; n++) answers.push(await keyed.put(`/project/${projectId}`, { titel: 'x', timeout: 61 }));
    for (const { status, headers, body } of answers) {
      expect([status, headers.get('watchledger-error-code'), body.requestId]).toEqual([400, 'INVALID_INPUT', headers.get('x-request-id')]);
      expect(body).toMatchObject({
        param: 'titel',
        errors: [
          { param: 'titel', message: expect.stringContaining('did you mean "title"?') },
          { param: 'timeout', allowed: { minimum: 1, maximum: 60 } },
        ],
      });
    }
    expect(answers[0].body.requestId).not.toBe(answers[1].body.requestId);
  });

  it('counts an Idempotency-Key once for both spellings of a path', async () => {
    const keyed = admin.with({ 'idempotency-key': 'with-and-without-a-slash' });
    const [first, second]: Json[] = [
      await keyed.post(`/project/${projectId}/tests`, { url: '/once' }),
      await keyed.post(`/project/${projectId}/tests/`, { url: '/once' }),
    ];
    expect([first.status, second.body.id]).toEqual([200, first.body.id]);
  });
});
