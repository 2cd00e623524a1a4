import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Operator, operators, ruleFamilies, type RuleType, ruleTypes } from '../../projects/checks/rule.ts';
import { cspDirectives, isRuleType, operatorMisfit } from '../../projects/checks/rule-type.ts';
import type { AnswerHead } from '../../platform/observations/pages/kept-answers.ts';
import { Page } from '../page/page.ts';
import { type HeaderLine, NO_PHASES } from '../probe/outcome.ts';
import { effective, type Policy } from './content-security-policy.ts';
import type { ValueOperator } from './rule.ts';
import { rowOf } from './rule-table.ts';
import { headerValue, type StoredAnswer } from './stored-answer.ts';
import { valueFailure } from './value-rules.ts';

const parameters = [
  '$.a',
  '$..*',
  'a.b',
  'Thing.name',
  'script-src',
  'sid',
  'sid:max-age',
  'days',
  'names',
  'wait',
  'target',
  'googlebot',
].concat([
  'de',
  'count',
  'disallow',
  'crawl-delay:bot',
  `$${'["long name"]'.repeat(70)}`,
  'Thing'.concat('.name'.repeat(150)),
  's'.repeat(200),
]);
const types = fc
  .oneof(
    fc.constantFrom(...ruleTypes),
    fc.tuple(fc.constantFrom(...ruleFamilies), fc.constantFrom(...parameters)).map((both) => both.join(':')),
  )
  .filter((type): type is RuleType => isRuleType(type));
const values = fc.oneof(fc.constantFrom('', '0', '1', '5', 'noindex', 'de', "'self'", 'a', 'Secure', '/'), fc.string({ maxLength: 6 }));
const headers: fc.Arbitrary<HeaderLine[]> = fc.array(
  fc.constantFrom<HeaderLine>(
    ['Content-Security-Policy', "default-src 'self'; sandbox"],
    ['Content-Security-Policy', "script-src 'self' a.example, img-src *"],
    ['Set-Cookie', 'sid=1; Secure; Max-Age=5'],
    ['Link', '</de>; rel=alternate; hreflang=de, </>; rel=canonical'],
    ['X-Robots-Tag', 'googlebot: noindex'],
    ['Content-Type', 'application/json'],
  ),
);
const bodies = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value)),
  fc.constantFrom('{"a":{"b":[1,"a",null]}}', 'user-agent: bot\ncrawl-delay: 5\ndisallow: /', '<urlset><url><loc>a</loc>'),
  fc
    .array(
      fc.constantFrom(
        ...[
          '<html lang=de>',
          '<link rel=canonical href=/x>',
          '<img src=http://a/>',
          '</head>',
          '<meta name=robots content=none>',
          '<p>text',
        ],
        '<script type="application/ld+json">{"@type":"Thing","name":"a","a":{"b":5}}</script>',
        '<meta http-equiv=content-security-policy content="script-src a.example">',
      ),
    )
    .map((parts) => parts.join('')),
);
const answers: fc.Arbitrary<StoredAnswer> = fc.record({
  url: fc.constantFrom('https://example.com/', 'http://example.com/a'),
  httpVersion: fc.constant('1.1'),
  status: fc.constantFrom(200, 404),
  statusText: fc.constant('OK'),
  headers,
  redirectedBy: fc.constantFrom(null, { location: '/', to: 'https://example.com/' }),
  body: bodies.map((text) => Buffer.from(text)),
  cut: fc.boolean(),
  redirects: fc.nat(3),
  certificate: fc.constantFrom(null, { issuer: 'CN=CA', names: ['example.com'], validTo: '2026-01-20T00:00:00.000Z', key: 'RSA 2048' }),
  timing: fc.constant({ dns: 0.1, connect: 1, tls: 2, request: 0, wait: 5, download: 1, total: 9.1 }),
  at: fc.constant(Date.UTC(2026, 0, 15)),
});

function judge(answer: StoredAnswer, type: RuleType, op: ValueOperator, val: string): string | null {
  const page = new Page({ body: answer.body, contentType: headerValue(answer, 'content-type') ?? 'text/html', cut: answer.cut });
  return valueFailure({ type, op, val }, answer, page);
}

it('every type judges every answer with a bounded sentence, and the same again from what is stored', () => {
  const fitting = types.chain((type) =>
    fc.tuple(
      fc.constant(type),
      fc.constantFrom(...operators.filter((op): op is Exclude<Operator, 'xpath'> => op !== 'xpath' && operatorMisfit(type, op) === null)),
    ),
  );
  fc.assert(
    fc.property(fitting, values, answers, ([type, op], val, answer) => {
      const found = judge(answer, type, op, val);
      expect(found === null || (found !== '' && found.length <= 200)).toBe(true);
      const { body, timing = NO_PHASES, at = 0, status, ...head } = answer;
      const stored = JSON.parse(JSON.stringify(head)) as AnswerHead;
      expect(judge({ ...stored, body, status, at, timing }, type, op, val)).toBe(found);
    }),
    { numRuns: 400 },
  );
});

it('a negative operator holds exactly where the positive one does not, unless an answer cannot tell', () => {
  fc.assert(
    fc.property(types, fc.constantFrom('sub', 'match'), values, answers, (type, op, val, answer) => {
      const [positive, negative] = [judge(answer, type, op, val), judge(answer, type, `!${op}`, val)];
      const isUndecided = /the page was cut|no valid JSON|nested too deep|more than 10000|cannot be used/.test(positive ?? negative ?? '');
      expect((positive === null) !== (negative === null) || isUndecided).toBe(true);
    }),
    { numRuns: 400 },
  );
});

it('policies allow the same in any order, and never more than one of them alone', () => {
  const sources = fc.uniqueArray(
    fc.constantFrom("'self'", "'none'", '*', 'https:', 'a.example', '*.example', 'https://b.example/x', "'nonce-1'"),
  );
  const policies = fc.array(
    fc
      .dictionary(fc.constantFrom('default-src', 'script-src', 'child-src'), sources)
      .map((lists): Policy => new Map(Object.entries(lists))),
    { minLength: 1, maxLength: 3 },
  );
  const sorted = (list: readonly Policy[], directive: string): string[] =>
    effective(list, directive).map((text) => text.split(' ').sort().join(' '));
  fc.assert(
    fc.property(policies, fc.constantFrom(...cspDirectives), (list, directive) => {
      expect(sorted(list, directive)).toEqual(sorted(list.toReversed(), directive));
      const all = effective(list, directive).flatMap((text) => text.split(' '));
      const written = new Set([...list.flatMap((policy) => [...policy.values()].flat()), "'none'", '']);
      expect(all.filter((source) => !written.has(source))).toEqual([]);
    }),
  );
});

it('what a type reads of an answer is stored with it', () => {
  for (const [type, part] of [
    ['time', 'timing'],
    ['redirects', 'redirects'],
    ['cert:days', 'certificate'],
    ['cookie:a', 'head'],
    ['json:$', undefined],
  ] as const)
    expect([type, rowOf(type).reads]).toEqual([type, part]);
});
