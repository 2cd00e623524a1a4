import { describe, expect, it } from '@jest/globals';
import { importedText, reasonsOf } from '../../../test/support/imported.ts';
import { type JudgedAnswer, ruleFailure } from '../../../test/support/rule-cases.ts';
import type { ValueOperator } from '../../checker/rules/rule.ts';
import { isRuleType, ruleTypeProblem } from '../../projects/checks/rule-type.ts';
import type { ImportedCheck } from '../imported-site.ts';
import { readAssertion } from './checkly-assertion.ts';

/** By the code that judges checks. */
function passes({ rules = [] }: Pick<ImportedCheck, 'rules'>, answer: JudgedAnswer): boolean {
  return rules.every(({ type, op, val }) => {
    if (!isRuleType(type)) throw new Error(ruleTypeProblem(type) ?? type);
    return ruleFailure(type, op as ValueOperator, val, answer) === null;
  });
}

const checkOf = async (kind: string, source: unknown): Promise<ImportedCheck> => {
  const { checks } = await importedText(kind, typeof source === 'string' ? source : JSON.stringify(source));
  const [check] = checks;
  if (check === undefined) throw new Error('nothing was imported');
  return check;
};

describe('modules of blackbox_exporter', () => {
  const withModule = (http: object): string => `modules: ${JSON.stringify({ m: { prober: 'http', timeout: '5s', http } })}
---
global: {scrape_interval: 30s}
scrape_configs:
  - job_name: node
    static_configs: [{targets: ["127.0.0.1:9100"]}]
  - job_name: web
    metrics_path: /probe
    params: {module: [m]}
    static_configs:
      - targets: ["https://shop.example/", plain.example]
        labels: {team: core}
  - {job_name: routers, metrics_path: /probe, params: {module: [icmp]}, static_configs: [{targets: [router]}]}
`;

  it('become checks of the targets of their jobs', async () => {
    const found = await importedText('blackbox', withModule({ fail_if_not_ssl: true }));
    expect(found.sites).toMatchObject([
      { key: 'import:blackbox:shop.example', uptimeEnabled: '30', timeout: 5, groups: [{ name: 'web' }] },
      { key: 'import:blackbox:plain.example', url: 'http://plain.example' },
    ]);
    expect(reasonsOf(found)).toEqual(
      expect.arrayContaining([
        'left out: node: a job that scrapes metrics',
        'left out: routers: its module icmp is not among the files',
        'not carried: web / https://shop.example/: scrape_configs[].static_configs[].labels: measurements have no labels of their own',
      ]),
    );
  });

  it.each<[object, JudgedAnswer, JudgedAnswer]>([
    [{}, { status: 204 }, { status: 301 }],
    [{ valid_status_codes: [200, 401] }, { status: 401 }, { status: 201 }],
    [{ fail_if_not_ssl: true }, {}, { certificate: null }],
    [{ fail_if_ssl: true }, { certificate: null }, {}],
    [{ fail_if_body_matches_regexp: ['(?i)fatal'] }, { body: 'fine' }, { body: 'a FATAL error' }],
    [{ fail_if_body_not_matches_regexp: ['Basket', 'Shop'] }, { body: 'Basket Shop' }, { body: 'Basket' }],
    [{ fail_if_header_matches: [{ header: 'server', regexp: '^old', allow_missing: true }] }, {}, { headers: [['Server', 'old-1']] }],
    [
      { fail_if_header_matches: [{ header: 'Server', regexp: 'old' }] },
      { headers: [['server', 'new']] },
      { headers: [['server', 'very old']] },
    ],
    [{ fail_if_header_matches: [{ header: 'Server', regexp: 'old' }] }, { headers: [['server', 'new']] }, {}],
    [
      { fail_if_header_not_matches: [{ header: 'Server', regexp: 'new' }] },
      { headers: [['server', 'a new one']] },
      { headers: [['x', 'new']] },
    ],
  ])('judge as the exporter does: %j', async (http, passing, failing) => {
    const check = await checkOf('blackbox', withModule(http));
    expect([passes(check, passing), passes(check, failing)]).toEqual([true, false]);
  });

  it('refer to the files that the exporter reads secrets from', async () => {
    const { sites, secrets } = await importedText(
      'blackbox',
      withModule({ basic_auth: { username: 'u', password_file: '/run/secrets/p' }, authorization: { credentials: 'c' } }),
    );
    expect(sites[0]?.groups[0]?.httpAuth).toEqual({ user: 'u', password: '${file:/run/secrets/p}' });
    expect([...secrets.values()]).toContain('Bearer c');
  });
});

describe('checks of Checkly', () => {
  const json = (value: unknown): JudgedAnswer => ({ body: JSON.stringify(value), type: 'application/json' });

  it.each<[string, string, string, string, JudgedAnswer, JudgedAnswer]>([
    ['STATUS_CODE', '', 'EQUALS', '200', { status: 200 }, { status: 201 }],
    ['STATUS_CODE', '', 'NOT_EQUALS', '500', { status: 200 }, { status: 500 }],
    ['STATUS_CODE', '', 'LESS_THAN', '300', { status: 299 }, { status: 300 }],
    ['STATUS_CODE', '', 'GREATER_THAN', '199', { status: 200 }, { status: 199 }],
    ['RESPONSE_TIME', '', 'LESS_THAN', '200', {}, { timing: { dns: 0, connect: 0, tls: 0, request: 0, wait: 0, download: 0, total: 300 } }],
    ['TEXT_BODY', '', 'CONTAINS', 'a', { body: 'xay' }, { body: 'xy' }],
    ['TEXT_BODY', '', 'NOT_CONTAINS', 'a', { body: 'xy' }, { body: 'xay' }],
    ['TEXT_BODY', '', 'EQUALS', 'a', { body: 'a' }, { body: 'b' }],
    ['TEXT_BODY', '', 'IS_EMPTY', '', { body: '' }, { body: 'x' }],
    ['TEXT_BODY', '', 'NOT_EMPTY', '', { body: 'x' }, { body: '' }],
    ['JSON_BODY', '$.a', 'EQUALS', '1', json({ a: 1 }), json({ a: 2 })],
    ['JSON_BODY', '$.a', 'NOT_EQUALS', '1', json({ a: 2 }), json({ a: 1 })],
    ['JSON_BODY', '$.a', 'GREATER_THAN', '1', json({ a: 2 }), json({ a: 1 })],
    ['JSON_BODY', '$.a', 'CONTAINS', 'b', json({ a: 'abc' }), json({ a: 'c' })],
    ['JSON_BODY', '$.a', 'HAS_KEY', 'b', json({ a: { b: 0 } }), json({ a: {} })],
    ['JSON_BODY', '$.a', 'NOT_HAS_KEY', 'b', json({ a: {} }), json({ a: { b: 0 } })],
    ['JSON_BODY', '$[*]', 'HAS_VALUE', 'b', json(['a', 'b']), json(['a'])],
    ['JSON_BODY', '$.a', 'IS_NULL', '', json({ a: null }), json({ a: 0 })],
    ['JSON_BODY', '$.a', 'NOT_NULL', '', json({ a: 0 }), json({ a: null })],
    ['JSON_BODY', '$.a', 'IS_EMPTY', '', json({ a: [] }), json({ a: [1] })],
    ['JSON_BODY', '$.a', 'NOT_EMPTY', '', json({ a: [1] }), json({ a: [] })],
    [
      'HEADERS',
      'Content-Type',
      'EQUALS',
      'text/html',
      { headers: [['content-type', 'text/html']] },
      { headers: [['content-type', 'text/html; x']] },
    ],
    ['HEADERS', 'X-A', 'CONTAINS', 'b', { headers: [['x-a', 'abc']] }, { headers: [['x-a', 'c']] }],
    ['HEADERS', 'X-A', 'NOT_CONTAINS', 'b', { headers: [['x-a', 'c']] }, { headers: [['x-a', 'abc']] }],
    ['HEADERS', 'X-A', 'HAS_KEY', '', { headers: [['x-a', '']] }, { headers: [['x-b', '']] }],
    ['HEADERS', 'X-A', 'NOT_HAS_KEY', '', { headers: [['x-b', '']] }, { headers: [['x-a', '']] }],
    ['HEADERS', 'X-A', 'NOT_EMPTY', '', { headers: [['x-a', 'x']] }, { headers: [['x-a', '']] }],
  ])('assert %s %s %s %s as there', (source, property, comparison, target, passing, failing) => {
    const read = readAssertion({ source, property, comparison, target });
    if (read.kind !== 'rules') throw new Error(read.reason);
    expect([passes(read, passing), passes(read, failing)]).toEqual([true, false]);
  });

  it.each([
    [{ source: 'TEXT_BODY', property: '(\\d+)', comparison: 'GREATER_THAN', target: '1' }],
    [{ source: 'JSON_BODY', property: '$.a', comparison: 'EQUALS', target: '1', regex: 'x' }],
    [{ source: 'HEADERS', property: 'X-A', comparison: 'GREATER_THAN', target: '1' }],
    [{ source: 'UNHEARD_OF', comparison: 'EQUALS', target: '1' }],
  ])('name an assertion without an equal: %j', (assertion) => {
    expect(readAssertion(assertion).kind).toBe('missing');
  });

  it('take groups, query parameters and variables along', async () => {
    const source = {
      groups: [
        {
          id: 7,
          name: 'API',
          activated: true,
          apiCheckDefaults: { url: 'https://api.example', headers: [{ key: 'X-Group', value: 'g' }] },
        },
      ],
      checks: [
        {
          ...{ id: 'a-1', name: 'Search', checkType: 'API', groupId: 7, frequency: 0, frequencyOffset: 30, activated: true },
          request: {
            ...{ method: 'GET', url: '{{GROUP_BASE_URL}}/search', queryParameters: [{ key: 'q', value: 'a b' }] },
            headers: [{ key: 'Authorization', value: 'Bearer {{TOKEN}}' }],
          },
        },
        { id: 'b', name: 'Elsewhere', checkType: 'API', frequency: 1, request: { url: 'https://{{UNSET}}/' } },
        { id: 'c', name: 'Journey', checkType: 'BROWSER', frequency: 10 },
      ],
    };
    const found = await importedText('checkly', JSON.stringify(source));
    expect(found.sites).toMatchObject([{ url: 'https://api.example', uptimeEnabled: '30', groups: [{ name: 'API' }] }]);
    expect(found.checks).toMatchObject([
      {
        key: 'import:checkly:a-1',
        url: '/search?q=a+b',
        options: { w: 'X-Group: ${env:CHECKLY_A_1_X_GROUP}\nAuthorization: Bearer ${env:TOKEN}' },
      },
    ]);
    expect(reasonsOf(found)).toEqual(
      expect.arrayContaining([
        'left out: Elsewhere: the variable UNSET is not set',
        'left out: Journey: BROWSER: a check does not run a browser or a script',
      ]),
    );
  });
});

describe('monitors of Better Stack', () => {
  it('are read from answers of its API with the names of their groups', async () => {
    const source = [
      { data: [{ id: '9', type: 'monitor_group', attributes: { name: 'Core' } }] },
      {
        data: [
          {
            id: '1',
            type: 'monitor',
            attributes: {
              url: 'https://a.example/',
              monitor_type: 'keyword',
              required_keyword: 'x',
              monitor_group_id: 9,
              check_frequency: 30,
            },
          },
        ],
      },
    ];
    const { sites, checks } = await importedText('better-stack', JSON.stringify(source));
    expect(sites).toMatchObject([{ uptimeEnabled: '30', groups: [{ name: 'Core' }] }]);
    expect(checks).toMatchObject([{ key: 'import:better-stack:1', rules: [{ type: 'html', op: 'sub', val: 'x' }] }]);
  });

  it('are read from a table', async () => {
    const csv =
      'ID;URL;Name;Type;Check frequency;Expected status codes;Paused\n1;https://a.example/;"A; ""quoted""";expected_status_code;60;"200, 301";true\n';
    const { checks } = await importedText('better-stack', csv);
    expect(checks).toMatchObject([{ name: 'A; "quoted"', enabled: false, rules: [{ op: 'regex', val: '^(?:200|301)$' }] }]);
  });
});

describe('monitors of UptimeRobot', () => {
  it.each<[string, object]>([
    [
      'version 2',
      {
        stat: 'ok',
        monitors: [
          {
            id: 1,
            friendly_name: 'A',
            url: 'https://a.example/',
            type: 2,
            keyword_type: 2,
            keyword_value: 'Basket',
            interval: 300,
            http_method: 2,
          },
        ],
      },
    ],
    [
      'version 3',
      {
        data: [
          {
            id: 1,
            friendlyName: 'A',
            url: 'https://a.example/',
            type: 'KEYWORD',
            keywordType: 'ALERT_NOT_EXISTS',
            keywordValue: 'Basket',
            interval: 300,
            httpMethodType: 'GET',
          },
        ],
      },
    ],
  ])('are read from answers of %s of its API', async (_, source) => {
    const check = await checkOf('uptimerobot', source);
    expect(check).toMatchObject({ key: 'import:uptimerobot:1', name: 'A' });
    expect(check.rules).toEqual([
      { type: 'status', op: 'gte', val: '200' },
      { type: 'status', op: 'lte', val: '399' },
      { type: 'html', op: 'sub', val: 'Basket' },
    ]);
  });

  it('are read from a table, and alert where a forbidden keyword is there', async () => {
    const csv =
      'Friendly Name,URL/IP,Type,Interval,Status,Keyword Type,Keyword Value\r\nShop,https://a.example/,Keyword,60,Up,exists,Fatal\r\nRouter,127.0.0.1,Ping,60,Paused,,\r\n';
    const found = await importedText('uptimerobot', csv);
    expect(found.checks[0]?.rules?.at(-1)).toEqual({ type: 'html', op: '!sub', val: 'Fatal' });
    expect(reasonsOf(found)).toContain('left out: Router: ping: checks are made over http and https');
  });
});

it.each([
  ['checkly', '{"checks": [', 'is not valid JSON'],
  ['uptimerobot', 'a,"b', 'a quotation mark is not closed'],
  ['better-stack', '', 'is empty'],
  ['blackbox', 'modules: {}', 'has no scrape_configs'],
  ['blackbox', 'a: [', 'source:'],
])('refuses a source of %s that cannot be read: %j', async (kind, text, message) => {
  await expect(importedText(kind, text)).rejects.toThrow(message);
});
