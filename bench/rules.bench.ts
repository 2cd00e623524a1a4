import { Parser } from 'htmlparser2';
import { JSDOM } from 'jsdom';
import { Judge } from '../src/checker/judging/judge.ts';
import { judgePage } from '../src/checker/judging/judge-page.ts';
import { htmlToXml } from '../src/checker/rules/html-to-xml.ts';
import type { RuleCondition } from '../src/checker/rules/rule.ts';
import type { StoredAnswer } from '../src/checker/rules/stored-answer.ts';
import { wellNestedToXml } from '../src/checker/rules/well-nested-html.ts';
import { XPathTree } from '../src/checker/rules/xpath.ts';
import { compiledWorker } from '../test/support/compiled-worker.ts';
import { type Bench, figure, inTurns } from './support/bench.ts';
import { twentyKilobytes } from './support/page-site.ts';

const ROUNDS = 7;

const RULES: readonly RuleCondition[] = [
  { type: 'status', op: 'eq', val: '200' },
  { type: 'text', op: 'sub', val: 'Welcome to the shop' },
  { type: 'text', op: '!sub', val: 'Out of order' },
  { type: 'title', op: 'match', val: 'Example shop & more' },
  { type: 'title', op: 'sub', val: 'shop' },
  { type: 'meta-description', op: 'eq', val: 'All that you need' },
  { type: 'meta-og:title', op: 'sub', val: 'Example' },
  { type: 'header', op: 'sub', val: 'content-type: text/html' },
  { type: 'header', op: '!sub', val: 'X-Powered-By' },
  { type: 'html', op: 'sub', val: '<h1>' },
];
const PATTERNS: readonly RuleCondition[] = [
  { type: 'text', op: 'regex', val: 'Welcome to the (?:shop|store)' },
  { type: 'text', op: '!regex', val: '(?i)\\b(?:fatal|error) \\d+' },
];
const XPATHS = ['//h1', 'count(//div[@class="card"]) > 60', '//a[@href="/about"]', 'string-length(//title) > 3', '//div[@id="card-64"]/p'];

/** Milliseconds of CPU time per operation. */
function cpuMs(times: number, work: () => void): () => Promise<number> {
  return () => {
    const before = process.cpuUsage();
    for (let i = 0; i < times; i++) work();
    const { user, system } = process.cpuUsage(before);
    return Promise.resolve((user + system) / 1000 / times);
  };
}

/** The same of an asynchronous operation. */
async function cpuMsOf(times: number, work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  for (let i = 0; i < times; i++) await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / times;
}

const expect = (holds: boolean): void => {
  if (!holds) throw new Error('the page should satisfy its rules');
};

/** The same rules, written against a document of jsdom. */
function withDocument(html: string): void {
  const { window } = new JSDOM(html);
  const { document } = window;
  const text = document.body.textContent;
  const meta = (selector: string): string => document.querySelector(selector)?.getAttribute('content') ?? '';
  expect(text.includes('Welcome to the shop') && !text.includes('Out of order'));
  expect(document.title === 'Example shop & more' && document.title.includes('shop'));
  expect(meta('meta[name=description]') === 'All that you need' && meta('meta[property="og:title"]').includes('Example'));
  expect(html.includes('<h1>'));
  window.close();
}

function withXPaths(html: string): void {
  evaluate(wellNestedToXml(html) ?? htmlToXml(html));
}

function evaluate(xml: string): void {
  const tree = new XPathTree(xml);
  for (const expression of XPATHS) expect(tree.test(expression).kind === 'holds');
  tree.close();
}

/** CPU cost of judging a 20 KB page: ten rules in one pass, and five XPaths on one tree. */
const bench: Bench = async () => {
  const html = twentyKilobytes();
  const answer: StoredAnswer = {
    url: 'https://example.com/',
    httpVersion: '1.1',
    status: 200,
    statusText: 'OK',
    headers: [
      ['Content-Type', 'text/html; charset=utf-8'],
      ['Server', 'nginx'],
    ],
    redirectedBy: null,
    body: Buffer.from(html),
    cut: false,
  };
  const judged = (defaultErrors: boolean): void =>
    judgePage({ answer, rules: RULES, type: 'simple', defaultErrors }, (event) => {
      if (event.kind === 'ruleFailed') throw new Error(event.failure.sentence);
    });
  // The hooks that compile sources on import do not reach worker threads.
  const judge = new Judge({ entry: compiledWorker(new URL('../src/checker/judging/judge-worker.ts', import.meta.url)) });
  const withJudge = async (rules: readonly RuleCondition[]): Promise<void> => {
    const judgement = await judge.judge({ answer, rules, type: 'simple', defaultErrors: false }, 'bench');
    if (judgement.kind !== 'judged') throw new Error(judgement.reason);
    expect(judgement.failures.length === 0);
  };
  const contenders = {
    patterns: () => cpuMsOf(200, () => withJudge([...RULES, ...PATTERNS])),
    rules: cpuMs(200, () => judged(false)),
    withErrors: cpuMs(200, () => judged(true)),
    jsdom: cpuMs(5, () => withDocument(html)),
    xpaths: cpuMs(60, () => withXPaths(html)),
    standard: cpuMs(20, () => evaluate(htmlToXml(html))),
    scan: cpuMs(60, () => new Parser({}).end(html)),
  };
  await inTurns(2, contenders);
  const found = await inTurns(ROUNDS, contenders);
  await judge.close();
  return [
    figure('ten rules on a 20 KB page', found.rules, 'ms', { goal: { atMost: 1.6 } }),
    figure('ten rules and all default errors on a 20 KB page', found.withErrors, 'ms', { goal: { atMost: 1.6 } }),
    figure('ten rules and two patterns on a 20 KB page', found.patterns, 'ms', { goal: { atMost: 1.6 } }),
    figure('ten rules, against a document of jsdom', 1000 / found.rules, 'pages/s of CPU', {
      ceiling: 1000 / found.jsdom,
      goal: { ratio: 25 },
    }),
    figure('five XPaths on a 20 KB page', found.xpaths, 'ms', { goal: { atMost: 3 } }),
    figure('five XPaths on a 20 KB page, against parsing it with htmlparser2 only', 1000 / found.xpaths, 'pages/s of CPU', {
      ceiling: 1000 / found.scan,
      goal: { ratio: 1 / 3 },
    }),
    figure('five XPaths on a 20 KB page that the parser of the standard has to read', found.standard, 'ms'),
  ];
};

export default bench;
