import fc from 'fast-check';
import type { Operation } from '../../src/platform/http/description/operation.ts';
import { operationTable } from '../../src/app/operation-table.ts';
import type { ListDefinition } from '../../src/platform/http/lists/list.ts';
import { listParameters } from '../../src/platform/http/lists/list-request.ts';
import { apiRights } from '../../src/app/api-rights.ts';
import { hostile, hostileBodies, nearly } from './hostile-values.ts';
import { allowed, resolved, withOptional } from './schema-arbitrary.ts';

export const callers = ['owner', 'admin', 'developer', 'guest', 'outsider', 'auditor', 'anonymous', 'liar'] as const;
export type CallerName = (typeof callers)[number] | 'victim';

/** A request with placeholders such as `__project__`, resolved when it is sent. */
export interface GeneratedRequest {
  readonly operation: string;
  readonly kind: 'allowed' | 'nearly' | 'hostile';
  readonly caller: CallerName;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** They would delete their caller or target: each gets its own. */
export const ENDS_ITS_CALLER = new Set(['DELETE /account', 'DELETE /authenticate', 'DELETE /session', 'POST /account/password']);
export const ENDS_WHAT_IT_NAMES = new Set([
  'DELETE /project/:id',
  'POST /project/:id/transfer',
  'DELETE /test/:id',
  'DELETE /tests/:id',
  'DELETE /area/:id',
  'DELETE /status-pages/:id',
]);

const caller: fc.Arbitrary<CallerName> = fc.oneof(
  { weight: 8, arbitrary: fc.constant('owner' as const) },
  { weight: 2, arbitrary: fc.constant('admin' as const) },
  { weight: 3, arbitrary: fc.constantFrom(...callers) },
);

const operations = Object.entries(operationTable);

/** Requests to every operation as the description has them: as allowed, a little wrong, and meant badly. */
export const requests: fc.Arbitrary<GeneratedRequest> = fc
  .tuple(fc.constantFrom(...operations), fc.constantFrom('allowed', 'allowed', 'nearly', 'nearly', 'hostile'))
  .chain(([[key, operation], kind]) => known(`${key} ${kind}`, () => requestTo(key, operation, kind)));

/** What generates is made once: that costs more than to generate. */
const made = new Map<string, fc.Arbitrary<GeneratedRequest>>();
function known(name: string, make: () => fc.Arbitrary<GeneratedRequest>): fc.Arbitrary<GeneratedRequest> {
  const found = made.get(name) ?? make();
  made.set(name, found);
  return found;
}

function requestTo(key: string, operation: Operation, kind: 'allowed' | 'nearly' | 'hostile'): fc.Arbitrary<GeneratedRequest> {
  const [method = '', route = ''] = key.split(' ');
  return fc
    .record({
      caller: callerOf(key),
      path: pathTo(key, route, operation, kind),
      query: queryOf(operation, kind),
      headers: headersOf(kind),
      body: bodyOf(operation, kind),
    })
    .map(({ path, query, headers, body, ...rest }) => ({
      ...{ operation: key, kind, method, ...rest },
      path: query === '' ? path : `${path}?${query}`,
      headers: { ...(body === null ? {} : { 'content-type': operation.body?.types?.[0] ?? 'application/json' }), ...headers },
      body,
    }))
    .chain((request) => spelled(request, route));
}

/** Most as described; some with a slash at the end of the path, with HEAD or OPTIONS, or with a method that the path does not have. */
function spelled(request: GeneratedRequest, route: string): fc.Arbitrary<GeneratedRequest> {
  const withMethod = (method: string): GeneratedRequest => ({ ...request, method, body: null });
  const others = ['POST', 'PUT', 'PATCH', 'DELETE'].filter((method) => !Object.hasOwn(operationTable, `${method} ${route}`));
  return fc.oneof(
    { weight: 20, arbitrary: fc.constant(request) },
    { weight: 1, arbitrary: fc.constant({ ...request, path: request.path.replace(/(\?|$)/, '/$1') }) },
    { weight: request.method === 'GET' ? 1 : 0, arbitrary: fc.constant(withMethod('HEAD')) },
    { weight: 1, arbitrary: fc.constant(withMethod('OPTIONS')) },
    { weight: 1, arbitrary: fc.constantFrom(...others).map(withMethod) },
  );
}

/** Mostly a caller with the right; rebuilding all read models is requested only by callers without it. */
function callerOf(key: string): fc.Arbitrary<CallerName> {
  if (ENDS_ITS_CALLER.has(key)) return fc.constantFrom('victim', 'anonymous');
  if (key.endsWith('/rebuild')) return fc.constantFrom('owner', 'auditor', 'anonymous');
  return apiRights[key]?.kind === 'system' ? fc.oneof({ weight: 3, arbitrary: fc.constant('admin' as const) }, caller) : caller;
}

function pathTo(key: string, route: string, { path = {} }: Operation, kind: GeneratedRequest['kind']): fc.Arbitrary<string> {
  const own = ENDS_WHAT_IT_NAMES.has(key);
  const segments = route.split('/').map((segment): fc.Arbitrary<string> => {
    if (segment === '*')
      return fc.constantFrom(
        '0/000.p/1',
        '0/000',
        '0/x001/000',
        '8/000',
        '../key',
        '0/000.p/256',
        '%2e%2e/key',
        '000',
        '000.p/1',
        '000.p/2',
      );
    const parameter = /^:(\w+)(.*)$/.exec(segment);
    if (parameter === null) return fc.constant(segment);
    const [, name = '', rest = ''] = parameter;
    const real = realName(route, name, own);
    const described = path[name] === undefined ? fc.constant('') : allowed(path[name]).map(encoded);
    const anything = fc.oneof(
      hostile.map((value) => encoded(value)),
      fc.constantFrom('%00', '%ff', '%', '%2e%2e%2f', '..', '.', '', ';', 'a;b', '*', '%c0%ae', 'a%20b'),
    );
    const weights = kind === 'hostile' ? [2, 1, 2] : [8, 1, 0];
    return fc
      .oneof(
        { weight: weights[0] ?? 1, arbitrary: real === null ? described : fc.constant(real) },
        { weight: weights[1] ?? 1, arbitrary: described },
        { weight: weights[2] ?? 0, arbitrary: anything },
      )
      .map((value) => `${value}${rest}`);
  });
  return fc.tuple(...segments).map((parts) => parts.join('/'));
}

/** The object that a parameter names. */
export function realName(route: string, name: string, own: boolean): string | null {
  const noun = route.split('/')[1] ?? '';
  const spare = own ? 'spare' : '';
  const first: Readonly<Record<string, string>> = {
    project: 'project',
    test: 'test',
    tests: 'test',
    area: 'area',
    'status-pages': 'statusPage',
  };
  const named: Readonly<Record<string, string>> = {
    areaId: '__area__',
    jobId: '__job__',
    eventId: '__event__',
    windowId: '__window__',
    tid: '__token__',
    did: '__destination__',
    sid: '__serviceAccount__',
    incidentId: '__incident__',
    updateId: '__update__',
    userId: noun === 'project' ? '__guestNumber__' : '__outsiderNumber__',
  };
  if (name !== 'id') return named[name] ?? null;
  const what = first[noun];
  return what === undefined ? null : own ? `__${spare}${what.charAt(0).toUpperCase()}${what.slice(1)}__` : `__${what}__`;
}

function queryOf({ query: own = {}, list }: Operation, kind: GeneratedRequest['kind']): fc.Arbitrary<string> {
  const query: NonNullable<Operation['query']> = { ...own, ...(list === undefined ? {} : parametersOf(list, kind)) };
  const fields = Object.entries({ ...query, ...(kind === 'allowed' ? {} : { asOf: { schema: {} } }) });
  const wanted = Object.fromEntries(
    fields.map(([name, { schema }]) => [name, list !== undefined && name === 'fields' ? fieldsOf(list) : allowed(schema, name)]),
  );
  const required = fields.filter(([, parameter]) => 'required' in parameter).map(([name]) => name);
  const good = withOptional(wanted, kind === 'hostile' ? [] : required).map((given) => pairs(given));
  if (kind === 'allowed') return good;
  const extra = fc.tuple(fc.constantFrom(...Object.keys(query), 'asOf', 'apikey2', 'x', '__proto__', 'tests[]', 'a[b]', 'limit'), hostile);
  const bad = fc
    .tuple(good, extra)
    .map(([one, [name, value]]) => [one, `${name}=${encoded(value)}`].filter((part) => part !== '').join('&'));
  const garbage = fc.constantFrom('%', '%zz', '&&&', '=', '?', '%00', 'a%', '[]=1', 'asOf=0', 'asOf=99999999', 'asOf=%2B1', 'apiKey=x');
  return kind === 'nearly' ? fc.oneof(good, bad) : fc.oneof(bad, garbage);
}

/** Cursors that are accepted come with `Link` alone, which the test follows. */
function parametersOf(list: ListDefinition, kind: GeneratedRequest['kind']): NonNullable<Operation['query']> {
  const { cursor, ...others } = listParameters(list);
  return kind === 'allowed' || cursor === undefined ? others : { ...others, cursor };
}

function fieldsOf({ item }: ListDefinition): fc.Arbitrary<string> {
  const { properties = {} } = item.$ref === undefined ? item : resolved(item.$ref);
  return fc.subarray(Object.keys(properties), { minLength: 1 }).map((names) => names.join(','));
}

const pairs = (given: object): string =>
  Object.entries(given)
    .flatMap(([name, value]) => (Array.isArray(value) ? value : [value]).map((one) => `${name}=${encoded(one)}`))
    .join('&');

/** Half a surrogate pair cannot be written into an address. */
const encoded = (value: unknown): string =>
  encodeURIComponent(Buffer.from(typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).toString('utf8'));

function bodyOf({ body }: Operation, kind: GeneratedRequest['kind']): fc.Arbitrary<string | null> {
  if (body === undefined) return kind === 'hostile' ? fc.constantFrom(null, ...hostileBodies) : fc.constant(null);
  const good = fc.oneof({ weight: 4, arbitrary: allowed(body.schema) }, { weight: 1, arbitrary: fc.constant(body.example) });
  if (kind === 'allowed') return good.map((value) => JSON.stringify(value));
  const changed = good.chain(nearly).map((value) => JSON.stringify(value) ?? 'null');
  return kind === 'nearly' ? changed : fc.oneof(changed, fc.constantFrom(...hostileBodies));
}

function headersOf(kind: GeneratedRequest['kind']): fc.Arbitrary<Readonly<Record<string, string>>> {
  const accept = fc.constantFrom(
    '*/*',
    'application/json',
    'text/csv',
    'application/x-ndjson',
    'text/html;q=0.1',
    'image/png',
    ';;q=,',
    '',
  );
  const key = fc.oneof({ weight: 1, arbitrary: fc.constantFrom('one', 'two', 'k'.repeat(255)) }, { weight: 4, arbitrary: fc.uuid() });
  if (kind === 'allowed') return fc.record({ accept, 'idempotency-key': key }, { requiredKeys: [] });
  const odd = fc.constantFrom('', ' ', 'é', 'x'.repeat(300), '0', '[object Object]', '../..', '"', '%00');
  return fc.record(
    {
      accept: fc.oneof(accept, odd),
      'idempotency-key': fc.oneof({ weight: 6, arbitrary: key }, { weight: 1, arbitrary: odd }),
      'last-event-id': odd,
      'x-request-id': odd,
      'x-forwarded-for': fc.constantFrom('127.0.0.1', '::1, x', '', '999.1.1.1'),
      'x-http-method-override': fc.constantFrom('DELETE', 'PUT'),
      'content-type': fc.constantFrom(
        ...Array<string>(kind === 'nearly' ? 40 : 10).fill('application/json'),
        'text/plain',
        'application/x-www-form-urlencoded',
        'multipart/form-data',
        'application/json; charset=utf-16',
        'x',
        '',
      ),
      'content-encoding': fc.constantFrom('gzip', 'identity'),
      'if-none-match': fc.constantFrom('*', 'W/"x"'),
      'if-match': fc.oneof(
        { weight: 9, arbitrary: fc.constant('*') },
        { weight: 1, arbitrary: fc.constantFrom('"x"', `"${'x'.repeat(22)}"`, 'x') },
      ),
      range: fc.constantFrom('bytes=0-1', 'bytes=-1'),
    },
    { requiredKeys: [] },
  );
}
