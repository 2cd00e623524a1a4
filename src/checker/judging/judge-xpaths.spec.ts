import { expect, it } from '@jest/globals';
import type { JudgeEvent } from './judge-job.ts';
import { judgePage } from './judge-page.ts';
import { judgeXPaths } from './judge-xpaths.ts';

const ruleFailures = (html: string): readonly JudgeEvent[] => {
  const events: JudgeEvent[] = [];
  const answer = {
    ...{ url: 'https://a.test/', httpVersion: '1.1', status: 200, statusText: 'OK', redirectedBy: null, cut: false },
    ...{ headers: [['Content-Type', 'text/html'] as const], body: Buffer.from(html) },
  };
  const rules = ['//p', 'count(//p)=1'].map((val) => ({ type: 'html', op: 'xpath', val }) as const);
  judgePage({ answer, rules, type: 'simple', defaultErrors: false }, (event) => events.push(event), judgeXPaths);
  return events.filter(({ kind }) => kind === 'ruleFailed');
};

it.each([
  ['end tags without start tags', '<b></i>'.repeat(3_000)],
  ['unclosed SVG elements', `<svg>${'<path>'.repeat(3_000)}`],
  ['nested tables', '<table><tr><td>'.repeat(1_500)],
])('fails every XPath on a page that no tree can be built of: %s', (_, html) => {
  expect(ruleFailures(`<p>a</p>${html}`)).toEqual([
    { kind: 'ruleFailed', failure: { rule: 0, sentence: expect.stringMatching(/^expected the XPath "\/\/p" to hold, but the page /) } },
    { kind: 'ruleFailed', failure: { rule: 1, sentence: expect.stringMatching(/^expected the XPath "count.* but the page /) } },
  ]);
});

it('evaluates XPaths on a page that a tree can be built of', () => {
  expect(ruleFailures('<p>a')).toEqual([]);
});
