import { describe, expect, it } from '@jest/globals';
import { ruleTypeProblem } from '../../domain/check/rule-type.ts';
import { Page } from '../page/page.ts';
import type { HeaderLine } from '../probe/outcome.ts';
import type { RuleType } from '../../domain/check/rule.ts';
import type { ValueOperator } from './rule.ts';
import { headerValue, type StoredAnswer } from './stored-answer.ts';
import { valueFailure } from './value-rules.ts';

interface Given extends Partial<Omit<StoredAnswer, 'body'>> {
  readonly body?: string;
  readonly type?: string;
}
const html = (body: string, headers: readonly HeaderLine[] = [], more: Given = {}): Given => ({
  body,
  type: 'text/html',
  headers,
  ...more,
});
const AT = Date.UTC(2026, 0, 10, 12);
const TIMING = { dns: 1.04, connect: 2, tls: 3, request: 4, wait: 95.26, download: 6, total: 111.3 };
const CERTIFICATE = {
  issuer: 'C=US, O=Good CA',
  names: ['example.com', '*.example.com'],
  validTo: '2026-01-20T11:00:00.000Z',
  key: 'RSA 2048',
};

function failure(
  type: RuleType,
  op: ValueOperator,
  val: string,
  { body = '', type: contentType, headers = [], ...more }: Given,
): string | null {
  const answer: StoredAnswer = {
    ...{ url: 'https://example.com/a/b', httpVersion: '1.1', status: 200, statusText: 'OK', redirectedBy: null, cut: false },
    ...{ redirects: 0, certificate: CERTIFICATE, timing: TIMING, at: AT },
    ...more,
    headers: [...(contentType === undefined ? [] : [['Content-Type', contentType] as const]), ...headers],
    body: Buffer.from(body),
  };
  const page = new Page({ body: answer.body, contentType: headerValue(answer, 'content-type') ?? '', cut: answer.cut });
  return valueFailure({ type, op, val }, answer, page);
}

type Case = readonly [type: RuleType, op: ValueOperator, val: string, expected: boolean];

function holds(given: Given, cases: readonly Case[]): void {
  for (const [type] of cases) expect([type, ruleTypeProblem(type)]).toEqual([type, null]);
  const found = cases.map(([type, op, val]) => [type, op, val, failure(type, op, val, given) === null]);
  expect(found).toEqual(cases.map((one) => [...one]));
}

describe('json', () => {
  const body = `\ufeff{"ok": true, "none": null, "price": 19.5, "zip": "019", "name": "Příliš  žluť", "big": 1e21,
    "items": [{"id": 1, "tags": ["a"]}, {"id": 2, "tags": []}], "__proto__": {"x": 1}, "odd key": {"constructor": "c"}}`;

  it('compares what the path finds', () => {
    holds({ body, type: 'application/json; charset=windows-1252' }, [
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

  it.each<[RuleType, string, Given]>([
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
    expect(failure(type, 'sub', 'x', given)).toBe(expected);
  });

  it('fails also a negative rule if the answer is no JSON, or too much', () => {
    expect(failure('json:$.a', '!sub', 'x', { body: 'oops' })).toContain('no valid JSON');
    expect(failure('json:$[*]', '!sub', 'x', { body: `[${'0,'.repeat(10_000)}0]` })).toContain('more than 10000 values');
  });
});

describe('json-ld', () => {
  const block = (value: unknown): string =>
    `<script type="Application/LD+JSON">${typeof value === 'string' ? value : JSON.stringify(value)}</script>`;
  const product = { '@type': ['Thing', 'https://schema.org/Product'], name: 'Basket', offers: [{ price: '19.90' }, { price: 25 }] };
  const page = html(
    `<head>${block({ '@type': 'WebSite', name: 'Shop' })}${block({ '@graph': [product, { '@type': 'Person', name: 'Eve' }] })}</head>` +
      `<body>${block([{ '@type': 'Event', name: 'Sale' }])}<template>${block({ name: 'inert' })}</template><script>{"name": "script"}</script>`,
  );

  it('compares a property of every block, array and @graph, or of one type', () => {
    holds(page, [
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
    expect(failure('json-ld:name', 'sub', 'x', html(block('{"name": '))) ?? '').toContain(
      'found no such value, and 1 JSON-LD block that is not valid JSON',
    );
  });
});

describe('csp', () => {
  const policy = (value: string): HeaderLine => ['Content-Security-Policy', value];

  it('reads one policy as browsers do', () => {
    holds(html('<p>', [policy("  Default-Src 'self';script-src  'self'\tcdn.example ; script-src *; ;upgrade-insecure-requests")]), [
      ['csp:script-src', 'match', "'self' cdn.example", true],
      ['csp:script-src-elem', 'match', "'self' cdn.example", true],
      ['csp:worker-src', 'match', "'self' cdn.example", true],
      ['csp:img-src', 'match', "'self'", true],
      ['csp:base-uri', 'sub', '', false],
      ['csp:upgrade-insecure-requests', 'regex', '.*', true],
      ['csp:script-src', '!sub', "'unsafe-inline'", true],
    ]);
  });

  it('intersects several policies: of headers, lists and meta tags of the head', () => {
    const given = html(
      `<head><meta http-equiv="content-security-policy" content="script-src 'self' https://a.example/x.js; sandbox; form-action https:"></head>` +
        `<body><meta http-equiv="Content-Security-Policy" content="script-src 'none'">`,
      [
        policy("script-src 'self' 'unsafe-inline' https://*.example, form-action https://pay.example"),
        policy("default-src * 'unsafe-inline'"),
      ],
    );
    holds(given, [
      ['csp:script-src', 'match', "'self' https://a.example/x.js", true],
      ['csp:script-src', '!sub', 'unsafe-inline', true],
      ['csp:form-action', 'match', 'https://pay.example', true],
      ['csp:sandbox', 'sub', '', false],
      ['csp:img-src', 'match', "* 'unsafe-inline'", true],
    ]);
  });

  it('allows nothing where policies share no source, and ignores policies that only report', () => {
    holds(html('<p>', [policy('img-src a.example'), policy('img-src b.example')]), [['csp:img-src', 'match', "'none'", true]]);
    holds(html('<p>', [policy('sandbox allow-scripts allow-forms'), policy('sandbox allow-forms')]), [
      ['csp:sandbox', 'match', 'allow-forms', true],
    ]);
    holds(html('<p>', [policy('report-uri /a'), policy('report-uri /b')]), [['csp:report-uri', 'match', '/b', true]]);
    holds(html('<p>', [['Content-Security-Policy-Report-Only', "default-src 'self'"]]), [['csp:default-src', 'sub', '', false]]);
  });
});

describe('cookie', () => {
  const given: Given = {
    headers: [
      ['Set-Cookie', 'sid = secret; HTTPONLY; path=/a; Path=/; secure=x; SameSite=Lax; Max-Age=3600'],
      ['set-cookie', 'SID=other; Expires=Wed, 21 Oct 2026 07:28:00 GMT'],
      ['set-cookie', 'nothing'],
    ],
  };

  it('compares attributes, never the value', () => {
    holds(given, [
      ['cookie:sid', 'match', 'Path=/; Max-Age=3600; Secure; HttpOnly; SameSite=Lax', true],
      ['cookie:sid', 'sub', 'secret', false],
      ['cookie:SID', '!sub', 'Secure', true],
      ['cookie:sid:secure', 'sub', '', true],
      ['cookie:SID:secure', 'sub', '', false],
      ['cookie:sid:samesite', 'eq', 'Lax', true],
      ['cookie:sid:max-age', 'lte', '3600', true],
      ['cookie:nothing', 'sub', '', false],
    ]);
    expect(failure('cookie:sid', 'sub', 'Partitioned', given)).toBe(
      'expected the cookie sid to contain "Partitioned", found "Path=/; Max-Age=3600; Secure; HttpOnly; SameSite=Lax"',
    );
  });
});

it('time, size, redirects and cert compare what the run recorded', () => {
  holds({ body: 'ěš', redirects: 2, redirectedBy: { location: '/a/b', to: 'https://example.com/a/b' } }, [
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
  holds({ certificate: null }, [
    ['cert:days', 'gt', '0', false],
    ['redirects:target', '!sub', '', true],
  ]);
  expect(failure('time', 'lt', '100', {})).toBe('expected the response time in ms to be less than "100", found "111.3"');
});

it('size of a page that was cut is decided where more bytes cannot change it', () => {
  const cut = { body: 'x'.repeat(100), cut: true };
  const undecided = ['lt', 'lte', 'gt', 'gte'].map((op) => failure('size', op as ValueOperator, '200', cut)?.includes('the page was cut'));
  expect(undecided).toEqual([true, true, true, true]);
  holds(cut, [
    ['size', 'gt', '99', true],
    ['size', 'gte', '100', true],
    ['size', 'lt', '100', false],
    ['size', 'lte', '99', false],
  ]);
});

it('links, languages and robots directives are read from page and headers', () => {
  const page = `<html lang=de-AT><base href="/shop/"><link rel="nofollow CANONICAL" href="item">
    <link rel=alternate hreflang=en href="/en"><link rel=alternate hreflang=x-default href="/"><meta name=robots content="noindex, Max-Snippet : 50">
    <meta name=googlebot content=none>`;
  const headers: HeaderLine[] = [
    ['Link', '</fr>; rel="alternate"; hreflang="fr", <https://other.example/>; rel=preload'],
    ['X-Robots-Tag', 'noarchive'],
    ['X-Robots-Tag', 'bingbot: nosnippet'],
    ['X-Robots-Tag', 'unavailable_after: 25 Jun 2030 15:00:00 PST'],
  ];
  holds(html(page, headers), [
    ['link-canonical', 'match', 'https://example.com/shop/item', true],
    ['link-canonical', 'match', 'item', true],
    ['lang', 'eq', 'DE-at', true],
    ['hreflang', 'eq', 'x-default', true],
    ['hreflang', 'match', 'cs', false],
    ['hreflang:EN', 'match', 'https://example.com/en', true],
    ['hreflang:fr', 'match', 'https://example.com/fr', true],
    ['meta-robots', 'match', 'noindex', true],
    ['meta-robots', 'match', 'index', false],
    ['meta-robots', 'match', 'max-snippet:50', true],
    ['meta-robots', 'match', 'noarchive', true],
    ['meta-robots', '!match', 'nosnippet', true],
    ['meta-robots', '!match', 'nofollow', true],
    ['meta-robots', 'sub', 'unavailable_after:25 jun', true],
    ['meta-robots:Googlebot', 'match', 'nofollow', true],
    ['meta-robots:bingbot', 'match', 'nosnippet', true],
  ]);
  holds(html('<p>'), [
    ['link-canonical', 'sub', '', false],
    ['lang', 'sub', '', false],
  ]);
});

it('sitemap lists the addresses of a sitemap, an index or a text', () => {
  const xml = `<?xml version="1.0"?><urlset><url><loc> https://example.com/?a=1&amp;b=2 </loc></url><url><loc><![CDATA[https://example.com/c]]></loc></url></urlset>`;
  holds({ body: xml, type: 'application/xml' }, [
    ['sitemap', 'match', 'https://example.com/?a=1&b=2', true],
    ['sitemap', 'match', 'https://example.com/c', true],
    ['sitemap', '!regex', '^http:', true],
    ['sitemap:count', 'eq', '2', true],
  ]);
  holds({ body: 'https://example.com/\r\n# no\nhttps://example.com/b', type: 'text/plain' }, [['sitemap:count', 'gte', '2', true]]);
  holds({ body: '' }, [['sitemap', 'sub', '', false]]);
});

it('robots reads the group of a crawler as RFC 9309 says', () => {
  const body = `\ufeffUser-Agent: *\nDisallow: /private # secret\nSitemap: https://example.com/sitemap.xml
User-agent: BadBot\nuser-agent: worse\r\nDisallow: /\nCrawl-delay: 10\n\nUser-agent: badbot\nAllow: /open`;
  holds({ body, type: 'text/plain' }, [
    ['robots:disallow', 'match', '/private', true],
    ['robots:disallow', '!match', '/', true],
    ['robots:disallow:badbot', 'match', '/', true],
    ['robots:allow:BADBOT', 'match', '/open', true],
    ['robots:disallow:other', 'match', '/private', true],
    ['robots:crawl-delay:worse', 'lte', '10', true],
    ['robots:sitemap', 'sub', 'sitemap.xml', true],
    ['robots:allow', 'sub', '', false],
  ]);
});

it('mixed-content names the insecure addresses of a page with TLS', () => {
  const body = `<img srcset="http://a.example/1.png 1x,https://a.example/2.png 2x, //b.example/3.png"><script src="http://c.example/s.js"></script>
    <a href="http://link.example/">link</a><link rel=stylesheet href="http://d.example/s.css"><link rel=canonical href="http://e.example/">
    <img src="http://127.0.0.1:8080/x"><noscript><img src="http://n.example/"></noscript>`;
  holds(html(body), [
    ['mixed-content', 'match', 'http://a.example/1.png', true],
    ['mixed-content', 'match', 'http://d.example/s.css', true],
    ['mixed-content:count', 'eq', '3', true],
    ['mixed-content', '!sub', '', false],
  ]);
  const none: Case[] = [
    ['mixed-content', '!sub', '', true],
    ['mixed-content:count', 'eq', '0', true],
  ];
  holds(html(body, [], { url: 'http://example.com/' }), none);
  holds(html(body, [['Content-Security-Policy', 'upgrade-insecure-requests']]), none);
});

describe('hostile answers', () => {
  const types: RuleType[] = [
    'json-ld:a.b',
    'csp:script-src',
    'cookie:a',
    'link-canonical',
    'meta-robots',
    'lang',
    'hreflang',
    'hreflang:en',
  ];
  const more: RuleType[] = ['sitemap', 'sitemap:count', 'robots:disallow', 'mixed-content', 'mixed-content:count', 'json:$.a'];
  const repeated = (part: string): string => part.repeat(Math.ceil(100_000 / part.length));

  it.each([
    repeated('<link rel=canonical href=http://a/><link rel=alternate hreflang=en href=x>'),
    `<script type="application/ld+json">${'['.repeat(100_000)}${']'.repeat(100_000)}</script>`,
    `<script type="application/ld+json">{"a":${'{"b":'.repeat(20_000)}1${'}'.repeat(20_000)}}</script>`,
    `<img srcset="${repeated(', ,1x')}"><img srcset="${repeated('http://a/ ')}">`,
    repeated('<loc>'),
    repeated('user-agent: a\n'),
    repeated('\u0000<'),
    repeated('<meta http-equiv=content-security-policy content="script-src *.a.b c.d">'),
  ])('are judged, and fail with a sentence of a bounded length', (body) => {
    const headers: HeaderLine[] = [
      ['Link', repeated('<;=,').slice(0, 60_000)],
      ['Set-Cookie', repeated('a=;')],
      ['X-Robots-Tag', repeated('a:,')],
      ['Content-Security-Policy', repeated('script-src ;,').slice(0, 60_000)],
    ];
    for (const type of [...types, ...more]) {
      const said = failure(type, 'match', 'nothing', html(body, headers));
      expect([type, said?.length !== undefined && said.length <= 200]).toEqual([type, true]);
    }
  });
});
