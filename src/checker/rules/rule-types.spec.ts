import { describe, expect, it } from '@jest/globals';
import { expectRules, htmlAnswer, type JudgedAnswer, ruleFailure } from '../../../test/support/rule-cases.ts';
import type { HeaderLine } from '../probe/outcome.ts';
import type { RuleType } from '../../projects/checks/rule.ts';
import type { ValueOperator } from './rule.ts';

describe('json', () => {
  const body = `\ufeff{"ok": true, "none": null, "price": 19.5, "zip": "019", "name": "Příliš  žluť", "big": 1e21,
    "items": [{"id": 1, "tags": ["a"]}, {"id": 2, "tags": []}], "__proto__": {"x": 1}, "odd key": {"constructor": "c"}}`;

  it('compares what the path finds', () => {
    expectRules({ body, type: 'application/json; charset=windows-1252' }, [
      ['json:$.ok', 'eq', 'true', true],
      ['json:$.none', 'match', 'null', true],
      ['json:$.price', 'eq', '19.50', true],
      ['json:$.price', 'match', '19.50', false],
      ['json:$.price', 'lt', '20', true],
      ['json:$.price', 'gte', '19.5', true],
      ['json:$.price', 'gt', '19.5', false],
      ['json:$.zip', 'eq', '19', false],
      ['json:$.name', 'eq', 'Příliš žluť', true],
      ['json:$.items[*].id', 'match', '2', true],
      ['json:$.items[*].id', '!match', '2', false],
      ['json:$.items[?@.id > 1].id', '!match', '1', true],
      ['json:$.items[0]', 'match', '{"id":1,"tags":["a"]}', true],
      ['json:$.items[-1].tags', 'match', '[]', true],
      ["json:$['__proto__'].x", 'match', '1', true],
      ["json:$['odd key'].constructor", 'match', 'c', true],
      ['json:$.toString', 'sub', '', false],
      ['json:$.missing', '!sub', '', true],
      ["json:$.items[?match(@.tags[0], '[a-c]')].id", 'match', '1', true],
      ["json:$.items[?search(@.tags[0], '(a')].id", 'sub', '', false],
      ['json:$', 'regex', '^\\{.*\\}$', true],
    ]);
  });

  it.each<[RuleType, string, JudgedAnswer]>([
    ['json:$.a', 'expected the JSON value at $.a to contain "x", found no such value', { body: '{}' }],
    ['json:$.a', 'expected the JSON value at $.a to contain "x", found "y"', { body: '{"a":"y"}' }],
    ['json:$.a', 'expected the JSON value at $.a to contain "x", found no valid JSON', { body: '<html>' }],
    [
      'json:$.a',
      'expected the JSON value at $.a to contain "x", found no such value, but the page was cut after 5 MiB',
      { body: '{"a', cut: true },
    ],
    [
      'json:$..*',
      'expected the JSON value at $..* to contain "x", found JSON that is nested too deep',
      { body: '['.repeat(600) + ']'.repeat(600) },
    ],
    ['json:$[*]', 'expected the JSON value at $[*] to contain "x", found more than 10000 values', { body: `[${'0,'.repeat(10_000)}0]` }],
  ])('%s reports %j', (type, expected, given) => {
    expect(ruleFailure(type, 'sub', 'x', given)).toBe(expected);
  });

  it('fails also a negative rule if the answer is no JSON, or too much', () => {
    expect(ruleFailure('json:$.a', '!sub', 'x', { body: 'oops' })).toContain('no valid JSON');
    expect(ruleFailure('json:$[*]', '!sub', 'x', { body: `[${'0,'.repeat(10_000)}0]` })).toContain('more than 10000 values');
  });
});

describe('json-ld', () => {
  const block = (value: unknown): string =>
    `<script type="Application/LD+JSON">${typeof value === 'string' ? value : JSON.stringify(value)}</script>`;
  const product = { '@type': ['Thing', 'https://schema.org/Product'], name: 'Basket', offers: [{ price: '19.90' }, { price: 25 }] };
  const page = htmlAnswer(
    `<head>${block({ '@type': 'WebSite', name: 'Shop' })}${block({ '@graph': [product, { '@type': 'Person', name: 'Eve' }] })}</head>` +
      `<body>${block([{ '@type': 'Event', name: 'Sale' }])}<template>${block({ name: 'inert' })}</template><script>{"name": "script"}</script>`,
  );

  it('compares a property of every block, array and @graph, or of one type', () => {
    expectRules(page, [
      ['json-ld:name', 'match', 'Shop', true],
      ['json-ld:name', 'match', 'Eve', true],
      ['json-ld:name', 'match', 'Sale', true],
      ['json-ld:name', 'sub', 'inert', false],
      ['json-ld:name', '!match', 'Eve', false],
      ['json-ld:Product.name', 'match', 'Basket', true],
      ['json-ld:Product.name', '!match', 'Eve', true],
      ['json-ld:Product.offers.price', 'eq', '25', true],
      ['json-ld:Product.offers.price', 'lt', '20', true],
      ['json-ld:offers.price', 'gt', '26', false],
      ['json-ld:@type', 'match', 'Event', true],
      ['json-ld:Nothing.name', 'sub', '', false],
      ['json-ld:name.x', 'sub', '', false],
    ]);
  });

  it('names blocks that are not valid JSON', () => {
    expect(ruleFailure('json-ld:name', 'sub', 'x', htmlAnswer(block('{"name": '))) ?? '').toContain(
      'found no such value, and 1 JSON-LD block that is not valid JSON',
    );
  });
});

describe('csp', () => {
  const policy = (value: string): HeaderLine => ['Content-Security-Policy', value];

  it('reads one policy as browsers do', () => {
    expectRules(
      htmlAnswer('<p>', [policy("  Default-Src 'self';script-src  'self'\tcdn.example ; script-src *; ;upgrade-insecure-requests")]),
      [
        ['csp:script-src', 'match', "'self' cdn.example", true],
        ['csp:script-src-elem', 'match', "'self' cdn.example", true],
        ['csp:worker-src', 'match', "'self' cdn.example", true],
        ['csp:img-src', 'match', "'self'", true],
        ['csp:base-uri', 'sub', '', false],
        ['csp:upgrade-insecure-requests', 'regex', '.*', true],
        ['csp:script-src', '!sub', "'unsafe-inline'", true],
      ],
    );
  });

  it('intersects several policies: of headers, lists and meta tags of the head', () => {
    const given = htmlAnswer(
      `<head><meta http-equiv="content-security-policy" content="script-src 'self' https://a.example/x.js; sandbox; form-action https:"></head>` +
        `<body><meta http-equiv="Content-Security-Policy" content="script-src 'none'">`,
      [
        policy("script-src 'self' 'unsafe-inline' https://*.example, form-action https://pay.example"),
        policy("default-src * 'unsafe-inline'"),
      ],
    );
    expectRules(given, [
      ['csp:script-src', 'match', "'self' https://a.example/x.js", true],
      ['csp:script-src', '!sub', 'unsafe-inline', true],
      ['csp:form-action', 'match', 'https://pay.example', true],
      ['csp:sandbox', 'sub', '', false],
      ['csp:img-src', 'match', "* 'unsafe-inline'", true],
    ]);
  });

  it('allows nothing where policies share no source, and ignores policies that only report', () => {
    expectRules(htmlAnswer('<p>', [policy('img-src a.example'), policy('img-src b.example')]), [['csp:img-src', 'match', "'none'", true]]);
    expectRules(htmlAnswer('<p>', [policy('sandbox allow-scripts allow-forms'), policy('sandbox allow-forms')]), [
      ['csp:sandbox', 'match', 'allow-forms', true],
    ]);
    expectRules(htmlAnswer('<p>', [policy('report-uri /a'), policy('report-uri /b')]), [['csp:report-uri', 'match', '/b', true]]);
    expectRules(htmlAnswer('<p>', [['Content-Security-Policy-Report-Only', "default-src 'self'"]]), [
      ['csp:default-src', 'sub', '', false],
    ]);
  });
});

describe('cookie', () => {
  const given: JudgedAnswer = {
    headers: [
      ['Set-Cookie', 'sid = secret; HTTPONLY; path=/a; Path=/; secure=x; SameSite=Lax; Max-Age=3600'],
      ['set-cookie', 'SID=other; Expires=Wed, 21 Oct 2026 07:28:00 GMT'],
      ['set-cookie', 'nothing'],
    ],
  };

  it('compares attributes, never the value', () => {
    expectRules(given, [
      ['cookie:sid', 'match', 'Path=/; Max-Age=3600; Secure; HttpOnly; SameSite=Lax', true],
      ['cookie:sid', 'sub', 'secret', false],
      ['cookie:SID', '!sub', 'Secure', true],
      ['cookie:sid:secure', 'sub', '', true],
      ['cookie:SID:secure', 'sub', '', false],
      ['cookie:sid:samesite', 'eq', 'Lax', true],
      ['cookie:sid:max-age', 'lte', '3600', true],
      ['cookie:nothing', 'sub', '', false],
    ]);
    expect(ruleFailure('cookie:sid', 'sub', 'Partitioned', given)).toBe(
      'expected the cookie sid to contain "Partitioned", found "Path=/; Max-Age=3600; Secure; HttpOnly; SameSite=Lax"',
    );
  });
});

it('time, size, redirects and cert compare what the run recorded', () => {
  expectRules({ body: 'ěš', redirects: 2, redirectedBy: { location: '/a/b', to: 'https://example.com/a/b' } }, [
    ['time', 'lt', '111.4', true],
    ['time', 'lte', '111.2', false],
    ['time:dns', 'eq', '1', true],
    ['time:wait', 'gt', '95.2', true],
    ['size', 'eq', '4', true],
    ['redirects', 'lte', '2', true],
    ['redirects', 'eq', '0', false],
    ['redirects:target', 'match', 'https://example.com/a/b', true],
    ['cert:days', 'gte', '9', true],
    ['cert:days', 'gt', '9', false],
    ['cert:issuer', 'sub', 'Good CA', true],
    ['cert:names', 'match', '*.example.com', true],
    ['cert:key', 'regex', '^(EC|RSA (2048|4096))', true],
  ]);
  expectRules({ certificate: null }, [
    ['cert:days', 'gt', '0', false],
    ['redirects:target', '!sub', '', true],
  ]);
  expect(ruleFailure('time', 'lt', '100', {})).toBe('expected the response time in ms to be less than "100", found "111.3"');
});

it('size of a page that was cut is decided where more bytes cannot change it', () => {
  const cut = { body: 'x'.repeat(100), cut: true };
  const undecided = ['lt', 'lte', 'gt', 'gte'].map((op) =>
    ruleFailure('size', op as ValueOperator, '200', cut)?.includes('the page was cut'),
  );
  expect(undecided).toEqual([true, true, true, true]);
  expectRules(cut, [
    ['size', 'gt', '99', true],
    ['size', 'gte', '100', true],
    ['size', 'lt', '100', false],
    ['size', 'lte', '99', false],
  ]);
});
