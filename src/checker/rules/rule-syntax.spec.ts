import { expect, it } from '@jest/globals';
import { checkRuleSyntax } from './rule-syntax.ts';

it('returns the reason for each invalid rule', async () => {
  const problems = await checkRuleSyntax(
    [
      { type: 'text', op: 'regex', val: '(a' },
      { type: 'title', op: 'xpath', val: '//h1' },
      { type: 'html', op: 'xpath', val: '//ok' },
      { type: 'html', op: 'xpath', val: '//bad[' },
      { type: 'text', op: '!regex', val: 'a(?=b)' },
      { type: 'text', op: 'regex', val: 'x'.repeat(1025) },
      { type: 'text', op: 'regex', val: '^ok$' },
    ],
    (expressions) =>
      Promise.resolve(expressions.map((expression) => (expression === '//bad[' ? 'it is not a valid XPath 1.0 expression' : null))),
  );
  expect(problems.map(({ rule, sentence }) => [rule, sentence])).toEqual([
    [0, 'rule 1 (text regex): the pattern cannot be read: missing closing ): `(a`'],
    [1, 'rule 2 (title xpath): an XPath applies to html only'],
    [3, 'rule 4 (html xpath): the XPath cannot be used: it is not a valid XPath 1.0 expression'],
    [4, 'rule 5 (text !regex): the pattern cannot be read: invalid or unsupported Perl syntax: `(?=`'],
    [5, 'rule 6 (text regex): the pattern cannot be read: it is longer than 1 KiB'],
  ]);
});
