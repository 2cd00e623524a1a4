import { describe, expect, it } from '@jest/globals';
import { Page } from '../page/page.ts';
import type { HeaderLine } from '../probe/outcome.ts';
import type { RuleType } from '../../projects/checks/rule.ts';
import type { RuleCondition, ValueOperator } from './rule.ts';
import type { StoredAnswer } from './stored-answer.ts';
import { valueFailure } from './value-rules.ts';

interface Given extends Partial<Omit<StoredAnswer, 'body'>> {
  readonly body?: string;
}

const PAGE = `<title> A  title </title><meta name=description content=" about  this "><meta property="og:image" content="one.png">
<meta property="og:image" content="two.png"><h1>Hello&nbsp;world</h1><p>st<b>ro</b>ng</p>`;
const HEADERS: readonly HeaderLine[] = [
  ['Content-Type', 'text/html; charset=utf-8'],
  ['X-Cache', 'HIT'],
  ['Set-Cookie', 'a=1'],
  ['set-cookie', 'b=2'],
];

function failure(rule: RuleCondition & { readonly op: ValueOperator }, { body = PAGE, ...more }: Given = {}): string | null {
  const answer: StoredAnswer = {
    url: 'https://example.com/a/b',
    httpVersion: '1.1',
    status: 200,
    statusText: 'OK',
    headers: HEADERS,
    redirectedBy: null,
    cut: false,
    ...more,
    body: Buffer.from(body),
  };
  return valueFailure(rule, answer, new Page({ body: answer.body, contentType: 'text/html; charset=utf-8', cut: answer.cut }));
}
const sentence = (type: RuleType, op: ValueOperator, val: string, given?: Given): string | null => failure({ type, op, val }, given);
const holds = (type: RuleType, op: ValueOperator, val: string, given?: Given): boolean => sentence(type, op, val, given) === null;

describe('operators', () => {
  it.each<[RuleType, ValueOperator, string, boolean]>([
    ['text', 'eq', ' Hello world\n strong ', true],
    ['text', 'eq', 'hello world strong', false],
    ['text', 'match', 'Hello world strong', true],
    ['text', 'match', ' Hello world strong', false],
    ['text', '!match', 'Hello world strong', false],
    ['text', '!match', 'Hello', true],
    ['text', 'sub', 'world strong', true],
    ['text', 'sub', 'World', false],
    ['text', '!sub', 'World', true],
    ['text', '!sub', 'strong', false],
    ['text', 'sub', 'A title', false],
    ['text', 'regex', '^Hello\\s.*strong$', true],
    ['text', 'regex', '(?i)WORLD', true],
    ['text', '!regex', '[0-9]', true],
    ['text', '!regex', 'w.rld', false],
    ['html', 'sub', '<b>ro</b>', true],
    ['html', 'sub', '&nbsp;', true],
    ['status', 'eq', ' 200 ', true],
    ['status', 'eq', '201', false],
    ['status', 'eq', '', false],
    ['status', 'match', '200', true],
    ['status', 'regex', '^2', true],
    ['title', 'match', 'A title', true],
    ['title', 'sub', 'a', false],
    ['meta-description', 'eq', 'about this', true],
    ['meta-description', 'match', 'about this', false],
    ['meta-og:image', 'eq', 'two.png', true],
    ['meta-og:image', '!match', 'two.png', false],
    ['meta-og:image', '!sub', 'three', true],
    ['meta-og:title', '!sub', 'x', true],
    ['meta-og:title', 'regex', '', false],
    ['meta-og:title', 'sub', '', false],
  ])('%s %s %j: %s', (type, op, val, expected) => {
    expect(holds(type, op, val)).toBe(expected);
  });
});

describe('headers', () => {
  it.each<[ValueOperator, string, boolean]>([
    ['sub', 'content-type: text/html', true],
    ['sub', 'TYPE:text/html', true],
    ['sub', 'content-type: TEXT/html', false],
    ['sub', 'x-CACHE', true],
    ['sub', 'HIT', true],
    ['sub', 'hit', false],
    ['sub', '200 OK', true],
    ['!sub', 'x-powered-by', true],
    ['!sub', 'X-CACHE', false],
    ['eq', 'x-cache:  HIT', true],
    ['eq', 'x-cache: hit', false],
    ['eq', 'X-CACHE', true],
    ['match', 'SET-COOKIE: b=2', true],
    ['match', 'set-cookie: c=3', false],
    ['!match', 'set-cookie: a=1', false],
    ['!match', 'set-cookie: c=3', true],
    ['regex', '^Set-Cookie: a=', true],
    ['regex', '^set-cookie: a=', false],
    ['!regex', '(?i)^server:', true],
  ])('%s %j: %s', (op, val, expected) => {
    expect(holds('header', op, val)).toBe(expected);
  });
});

describe('location', () => {
  it('is that of the last redirect, as sent or resolved, or of an answer that is itself a redirect', () => {
    const redirectedBy = { location: '/a/b', to: 'https://example.com/a/b' };
    expect(
      ['/a/b', 'https://example.com/a/b', 'https://example.com/'].map((val) => holds('location', 'match', val, { redirectedBy })),
    ).toEqual([true, true, false]);
    expect(holds('location', 'match', 'https://example.com/a/c', { status: 302, headers: [['location', 'c']] })).toBe(true);
    expect(sentence('location', 'sub', '/x')).toBe('expected the redirect to contain "/x", found no redirect');
    expect(holds('location', '!sub', '/x')).toBe(true);
  });
});

describe('a failure', () => {
  it.each<[RuleType, ValueOperator, string, string]>([
    ['status', 'eq', '404', 'expected status 404, got 200'],
    ['title', 'match', 'B', 'expected the title to be exactly "B", found "A title"'],
    ['text', '!sub', 'world', 'expected the text not to contain "world", found "Hello world strong"'],
    ['meta-og:title', 'eq', 'x', 'expected the meta tag og:title to be "x", found no such tag'],
    ['header', 'sub', 'x-cache: MISS', 'expected the headers to contain "x-cache: MISS", found "X-Cache: HIT"'],
    ['header', 'sub', 'Server: nginx', 'expected the headers to contain "Server: nginx", found no such header'],
    ['text', 'regex', 'x+', 'expected the text to match the pattern "x+", found "Hello world strong"'],
    ['meta-og:image', '!match', 'two.png', 'expected the meta tag og:image not to be exactly "two.png", found "two.png"'],
  ])('of %s %s %j reads %j', (type, op, val, expected) => {
    expect(sentence(type, op, val)).toBe(expected);
  });

  it.each<ValueOperator>(['match', '!sub', '!regex', 'eq'])('never show the value of a cookie: %s', (op) => {
    const headers = [['Set-Cookie', 'sid=fresh-session; Path=/']] as const;
    const said = sentence('header', op, op.startsWith('!') ? 'sid=' : 'Set-Cookie: other', { headers });
    expect(said).toContain('Set-Cookie: sid=(hidden); Path=/');
  });

  it('has at most 200 characters, half for the expected value if both are long', () => {
    const long = sentence('text', 'sub', 'wanted '.repeat(100), { body: `<p>${'found '.repeat(100)}` });
    expect(long).toHaveLength(200);
    expect(long).toMatch(/wanted wanted.*…", found "found found.*…"$/);
    expect(sentence('text', 'sub', '😀'.repeat(300), { body: '😀x'.repeat(300) })).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])/);
    expect(sentence('text', '!sub', 'needle', { body: `${'hay '.repeat(100)}needle${' hay'.repeat(100)}` })).toMatch(
      /found "….*needle.*"$/,
    );
  });
});

describe('a page that was cut', () => {
  const cut = { cut: true, body: '<title>A title</title><p>Hello wor' };
  it.each<[RuleType, ValueOperator, string, 'holds' | 'fails' | 'undecided']>([
    ['text', 'sub', 'Hello', 'holds'],
    ['text', 'sub', 'world', 'undecided'],
    ['text', '!sub', 'Hello', 'fails'],
    ['text', '!sub', 'world', 'undecided'],
    ['text', 'match', 'Hello world', 'undecided'],
    ['text', 'match', 'Goodbye', 'fails'],
    ['text', '!match', 'Goodbye', 'holds'],
    ['text', '!match', 'Hello world', 'undecided'],
    ['text', 'regex', 'H.llo', 'holds'],
    ['text', 'regex', 'wor$', 'undecided'],
    ['text', 'regex', 'Hello.*', 'holds'],
    ['text', '!regex', 'Hello.*', 'fails'],
    ['text', 'regex', 'Goodbye|(?i:hello).*?$', 'undecided'],
    ['text', 'regex', 'H.*?o\\b', 'holds'],
    ['text', 'regex', 'Goodbye|Hello.*', 'holds'],
    ['text', 'regex', 'wor\\b', 'undecided'],
    ['text', '!regex', 'zzz', 'undecided'],
    ['html', 'sub', '<p>', 'holds'],
    ['title', 'match', 'A title', 'holds'],
    ['title', 'match', 'B', 'undecided'],
    ['title', '!match', 'B', 'undecided'],
    ['title', '!match', 'A title', 'fails'],
    ['meta-og:title', 'sub', 'x', 'undecided'],
    ['status', 'eq', '200', 'holds'],
    ['header', '!sub', 'nothing', 'holds'],
  ])('%s %s %j %s', (type, op, val, expected) => {
    const said = sentence(type, op, val, cut);
    expect(said === null ? 'holds' : said.includes('but the page was cut') ? 'undecided' : 'fails').toBe(expected);
    expect(said?.length ?? 0).toBeLessThanOrEqual(200);
  });
});
