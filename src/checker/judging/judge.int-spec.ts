import { afterAll, describe, expect, it } from '@jest/globals';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { compiledWorker } from '../../../test/support/compiled-worker.ts';
import { isRelease, thorough } from '../../../test/support/thorough.ts';
import type { RuleCondition } from '../rules/rule.ts';
import type { StoredAnswer } from '../rules/stored-answer.ts';
import type { JudgeJob } from './judge-job.ts';
import { Judge, type Judgement } from './judge.ts';

const entry = compiledWorker(new URL('./judge-worker.ts', import.meta.url));
const judge = new Judge({ entry, threads: 2 });
afterAll(() => judge.close());

const answer = (body: string, more: Partial<StoredAnswer> = {}): StoredAnswer => ({
  url: 'http://a.test/',
  httpVersion: '1.1',
  status: 200,
  statusText: 'OK',
  headers: [['Content-Type', 'text/html; charset=utf-8']],
  redirectedBy: null,
  body: Buffer.from(body),
  cut: false,
  ...more,
});
const job = (body: string, rules: readonly RuleCondition[], more: Partial<JudgeJob> = {}): JudgeJob => ({
  answer: answer(body),
  rules,
  type: 'simple',
  defaultErrors: true,
  ...more,
});
const xpath = (val: string): RuleCondition => ({ type: 'html', op: 'xpath', val });
const text = (val: string): RuleCondition => ({ type: 'text', op: 'sub', val });

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

let asked = 0;
const ask = (given: JudgeJob, key = `check ${String(asked++)}`): Promise<Judgement> => judge.judge(given, key);
async function failures(given: JudgeJob): Promise<(readonly [number | null, string])[]> {
  const judgement = await ask(given);
  if (judgement.kind !== 'judged') throw new Error(judgement.reason);
  return judgement.failures.map(({ rule, sentence }) => [rule, sentence]);
}

const FOREVER = 'count(//i[count(//i[count(//i) > 1]) > 1]) = 1';
const LARGE = `<h1>Title</h1>${'<p>Lorem ipsum dolor sit amet.</p>'.repeat(20_000)}`;

describe('a judgement', () => {
  it('reports every failed rule, in order, whichever thread found it', async () => {
    const rules = [
      xpath('//h2'),
      text('nothing'),
      xpath('count(//h1) = 1'),
      text('Title'),
      { type: 'text', op: 'regex', val: '^x' } as const,
    ];
    expect(await failures(job('<h1>Title</h1>', rules))).toEqual([
      [0, 'expected the XPath "//h2" to hold, but it finds no node'],
      [1, 'expected the text to contain "nothing", found "Title"'],
      [4, 'expected the text to match the pattern "^x", found "Title"'],
    ]);
  });

  it('is the same on a large page', async () => {
    expect(await failures(job(LARGE, [text('Title'), text('nothing'), { type: 'html', op: 'regex', val: 'dolor\\s+sot' }]))).toMatchObject([
      [1, expect.any(String)],
      [2, expect.any(String)],
    ]);
    expect(await failures(job(LARGE, []))).toEqual([]);
    expect(await failures(job(`${LARGE}<h1>Error establishing a database connection</h1>`, [xpath('//h1')]))).toMatchObject([
      [null, expect.stringMatching(/WordPress/)],
    ]);
  });

  it('includes default errors and the type of the check', async () => {
    expect(await failures(job(' ', [xpath('//body')]))).toEqual([[null, 'expected a page with content, found an empty one']]);
    expect(await failures(job(' ', [xpath('//body')], { defaultErrors: false }))).toEqual([]);
    expect(await failures(job('<p>', [text('x')], { type: 'favicon' }))).toMatchObject([
      [null, expect.stringMatching(/image/)],
      [0, expect.any(String)],
    ]);
  });

  it('does not decide an XPath on a page that was cut', async () => {
    expect(await failures(job('', [xpath('//h1')], { answer: answer('<h1>a', { cut: true }) }))).toEqual([
      [0, 'expected the XPath "//h1" to hold, but the page was cut after 5 MiB'],
    ]);
  });
});

it('locates XPaths within the memory of a worker on the largest page that it locates them on', async () => {
  const paragraph = '<p class="a">Lorem <b>ipsum</b> dolor';
  const text = ' sit amet'.repeat(155_000);
  const page = job(`${paragraph.repeat(9_900)}${text}<i>x</i>`, [xpath('//i'), xpath('count(//p) > 10000')]);
  // A busy machine needs more than the time; the memory is the same.
  const patient = new Judge({ entry, threads: 1, askMs: 30_000 });
  const located = await patient.locate(page);
  await patient.close();
  const from = 9_900 * paragraph.length + text.length;
  expect(located).toEqual({
    kind: 'located',
    ranges: [
      { from, to: from + 8, line: 1 },
      { from: 0, to: paragraph.length, line: 1 },
    ],
  });
});

describe('a homepage', () => {
  const inspect = (body: string, asking = judge) =>
    asking.inspect({
      ...{ url: 'https://shop.example/', body: Buffer.from(body), contentType: 'text/html', cut: false },
      ...{ linkHeader: '', wantsLinks: true },
    });

  it('is inspected for its CMS and its links', async () => {
    expect(await inspect('<!doctype html><link href="/wp-content/a.css"><a href="/cart">Cart</a>')).toEqual({
      kind: 'inspected',
      isWordPress: true,
      links: [{ url: 'https://shop.example/cart', text: 'Cart' }],
    });
  });

  it('that is hostile does not hold up the event loop, and has nothing to be found when it takes too long', async () => {
    const delays = monitorEventLoopDelay({ resolution: 5 });
    delays.enable();
    const pages = ['<'.repeat(5e6), '"/wp-'.repeat(1e6), '<a href=//xn--a'.repeat(3e5), '<base href=/x>'.repeat(3e5)];
    for (const page of pages) expect(await inspect(page)).toMatchObject({ kind: 'inspected', isWordPress: false });
    delays.disable();
    // A busy machine delays timers, too; on this thread one of these pages takes a second.
    expect(delays.percentile(99) / 1e6).toBeLessThan(250);
    const impatient = new Judge({ entry, threads: 1, askMs: -5_000 });
    expect(await inspect(pages[0] ?? '', impatient)).toEqual({ kind: 'inspected', isWordPress: false, links: [] });
    await impatient.close();
  });
});

describe('a hostile page or rule', () => {
  it('is stopped at its limit with a verdict that names the cause, and the other rules keep theirs', async () => {
    const found = await failures(job('<i></i>'.repeat(4000), [text('nothing'), xpath('//i'), xpath(FOREVER), xpath('//b')]));
    expect(found).toEqual([
      [0, 'expected the text to contain "nothing", found ""'],
      [2, `expected the XPath "${FOREVER}" to hold, but it took longer than 250 ms and was stopped`],
      [3, 'this rule was not evaluated, because another one used up the time'],
    ]);
    expect(await failures(job('<h1>', [xpath('//h1')]))).toEqual([]);
  });

  it.each([
    ['is nested 500,000 deep', '<div>'.repeat(500_000), '//div', /nested more than 1000 deep/],
    ['has a million elements', '<i></i>'.repeat(700_000), '//i', /more than 50000 elements/],
    [
      'asks for gigabytes',
      `<p>${'x'.repeat(200_000)}`,
      `string-length(concat(${Array(400).fill('/').join(',')})) > 1`,
      /memory|longer than 250 ms/,
    ],
    [
      'multiplies its formatting',
      `${Array.from({ length: 900 }, (_, i) => `<b a=${String(i)}>`).join('')}${'<p>x'.repeat(40_000)}`,
      '//b',
      // A fast machine may finish within the limit.
      /memory|longer than 250 ms|done in time/,
    ],
    ['is binary', Buffer.from(Array.from({ length: 50_000 }, (_, i) => (i * 7919) & 255)).toString('latin1'), '//h1', /finds no node/],
  ])('%s', async (_, body, expression, cause) => {
    const given = job(body, [xpath(expression)]);
    const grown: number[] = [];
    // A leak grows in every round; the temporary memory of a thread does not. One page of many elements shows it daily.
    const rounds = thorough(4, body.startsWith('<i>') ? 3 : 1);
    for (let round = 0; round < rounds; round++) {
      collectGarbage();
      const before = process.memoryUsage().rss;
      const [first] = await failures(given);
      expect(first?.[1] ?? 'done in time').toMatch(cause);
      grown.push((process.memoryUsage().rss - before) / 2 ** 20);
    }
    if (rounds > 1) expect(Math.min(...grown)).toBeLessThan(64);
  });

  it('does not backtrack', async () => {
    // A backtracking engine would need exponential time.
    expect(await failures(job(`<p>${'x'.repeat(100_000)}`, [{ type: 'text', op: 'regex', val: '(x+x+)+y$' }]))).toHaveLength(1);
  });

  if (isRelease)
    it('delays neither small pages nor the XPaths of other projects', async () => {
      const hostile = Array.from({ length: 8 }, (_, i) => ask(job('<i></i>'.repeat(4000), [xpath(FOREVER)]), `hostile ${String(i % 4)}`));
      await Promise.race(hostile);
      let allJudged = false;
      const all = Promise.all(hostile).then((judged) => {
        allJudged = true;
        return judged;
      });
      expect((await ask(job('<h1>', [text('')]))).kind).toBe('judged');
      expect(await failures(job('<h1>', [xpath('//h1')]))).toEqual([]);
      // They did not wait behind the hostile ones.
      expect(allJudged).toBe(false);
      for (let i = 0; i < 10; i++) expect(await failures(job('<h1>', [xpath('//h1')]))).toEqual([]);
      const kinds = new Set<string>((await all).map(({ kind }) => kind));
      kinds.delete('inconclusive');
      expect([...kinds]).toEqual(['judged']);
    });
});

describe('a pattern that is slow to compile', () => {
  const slow = (nth: number): string => `${String(nth)}${'\\pL'.repeat(330)}`;
  const patterns = Array.from({ length: 80 }, (_, nth): RuleCondition => ({ type: 'text', op: 'regex', val: slow(nth) }));
  /** Milliseconds of the longest pause of this thread. */
  const pauseDuring = async (work: () => Promise<unknown>): Promise<number> => {
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    await work();
    delay.disable();
    return delay.max / 1e6;
  };

  it('is compiled in a worker, stopped at its limit, and fails its own check only', async () => {
    let found: Awaited<ReturnType<typeof failures>> = [];
    const pause = await pauseDuring(async () => {
      found = await failures(job('<p>text', [...patterns, text('nothing')]));
    });
    expect(found.map(([, sentence]) => sentence)).toEqual(
      expect.arrayContaining([
        'the pattern could not be tried: it took longer than 250 ms and was stopped',
        'this rule was not evaluated, because another one used up the time',
        'expected the text to contain "nothing", found "text"',
      ]),
    );
    // Compiled here they take seconds.
    expect(pause).toBeLessThan(500);
    expect(await failures(job('<p>text', [{ type: 'text', op: 'regex', val: '^t' }]))).toEqual([]);
  });

  it('is refused when it is saved', async () => {
    const expressions = patterns.map(({ val }) => ({ kind: 'pattern', source: val }) as const);
    let found: unknown;
    const pause = await pauseDuring(async () => {
      found = await judge.syntaxProblems(expressions);
    });
    expect(found).toMatchObject({ kind: 'read', problems: expect.arrayContaining(['it took longer than 250 ms and was stopped']) });
    expect(pause).toBeLessThan(500);
  });

  it('fails its check, negated or not, when it is saved but no longer accepted', async () => {
    const val = `(?i)${'[B-\u{1E000}]'.repeat(100)}`;
    const sentence = 'the pattern could not be tried: its ranges hold more than 250000 letters, which (?i) compares in both cases';
    expect(await failures(job('<p>text', [{ type: 'text', op: '!regex', val }]))).toEqual([[0, sentence]]);
    expect(await failures(job('<p>text', [{ type: 'text', op: 'regex', val }]))).toEqual([[0, sentence]]);
  });
});

describe('a rule that reads what the page holds besides text', () => {
  const json = (path: string, val = 'x'): RuleCondition => ({ type: `json:${path}`, op: 'eq', val });

  it('is judged in a worker', async () => {
    const rules: RuleCondition[] = [
      json('$.a', '1'),
      { type: 'csp:script-src', op: 'sub', val: "'self'" },
      { type: 'json:$.a', op: 'gt', val: '1' },
    ];
    expect(await failures(job('{"a": 1}', rules))).toEqual([
      [1, 'expected script-src of the Content Security Policy to contain "\'self\'", found no such directive'],
      [2, 'expected the JSON value at $.a to be more than "1", found "1"'],
    ]);
  });

  it.each([
    ['a filter that visits the document for each of its values', `[${Array(4_000).fill('{"b":[1]}').join(',')}]`, '$[?count($..b) < 0]'],
    ['a document that multiplies by its depth', `${'[{"a":'.repeat(200)}[${'0,'.repeat(20_000)}0]${'}]'.repeat(200)}`, '$..[?@..*]'],
  ])('is stopped at its limit: %s', async (_, body, path) => {
    const found = await failures(job(body, [text('nothing'), json(path), { type: 'lang', op: 'eq', val: 'de' }]));
    expect(found.map(([rule]) => rule)).toEqual([0, 1, 2]);
    expect(found[1]?.[1]).toMatch(
      /^the rule json:.* could not be evaluated: it took (longer than 250 ms|too much memory) and was stopped$/,
    );
    expect(found[2]?.[1]).toBe('this rule was not evaluated, because another one used up the time');
  });

  it('is read before it is saved', async () => {
    const paths = ['$.a', '$.a[', '$[?@.a', '$.a[?length(@)]', `$${'['.repeat(800)}`].map(
      (source) => ({ kind: 'jsonPath', source }) as const,
    );
    const wrong = expect.any(String);
    expect(await judge.syntaxProblems(paths)).toEqual({ kind: 'read', problems: [null, wrong, wrong, wrong, wrong] });
  });
});

it('returns why an XPath or a pattern is not valid', async () => {
  const xpaths = ['//h1', '//h1[', 'foo()'].map((source) => ({ kind: 'xpath', source }) as const);
  const pattern = { kind: 'pattern', source: 'a(?=b)' } as const;
  expect(await judge.syntaxProblems([...xpaths, pattern])).toEqual({
    kind: 'read',
    problems: [
      null,
      'it is not a valid XPath 1.0 expression',
      expect.stringMatching(/nregistered function/),
      'invalid or unsupported Perl syntax: `(?=`',
    ],
  });
});
