import { expect, it } from '@jest/globals';
import { checkRuleSyntax } from './rule-syntax.ts';

it('returns why an operator or its value does not fit', async () => {
  const found = await checkRuleSyntax(
    [
      { type: 'time', op: 'lt', val: '500' },
      { type: 'time:wait', op: 'gte', val: 'fast' },
      { type: 'title', op: 'lt', val: '5' },
      { type: 'json:$.[', op: 'xpath', val: '5' },
    ],
    (expressions) => Promise.resolve(expressions.map(({ kind, source }) => `${kind} ${source}`)),
  );
  expect(found.map(({ field }) => field)).toEqual(['val', 'op', 'op', 'type']);
  expect(found.map(({ sentence }) => sentence)).toEqual([
    'rule 2 (time:wait gte): the value must be a number',
    expect.stringMatching(/^rule 3 \(title lt\): lt applies to numbers only: status, time/),
    'rule 4 (json:$.[ xpath): xpath applies to the type html only',
    'rule 4 (json:$.[ xpath): the JSONPath cannot be used: jsonPath $.[',
  ]);
});

it('returns the reason for each invalid rule', async () => {
  const read: string[] = [];
  const problems: Record<string, string> = { '(a': 'missing closing )', '//bad[': 'it is not a valid XPath 1.0 expression' };
  const found = await checkRuleSyntax(
    [
      { type: 'text', op: 'regex', val: '(a' },
      { type: 'title', op: 'xpath', val: '//h1' },
      { type: 'html', op: 'xpath', val: '//ok' },
      { type: 'html', op: 'xpath', val: '//bad[' },
      { type: 'text', op: '!regex', val: 'a(?=b)' },
      { type: 'text', op: 'regex', val: '^ok$' },
    ],
    (expressions) => {
      read.push(...expressions.map(({ kind, source }) => `${kind} ${source.slice(0, 9)}`));
      return Promise.resolve([...expressions.map(({ source }) => problems[source] ?? null).slice(0, -1)]);
    },
  );
  expect(found.map(({ rule, sentence }) => [rule, sentence])).toEqual([
    [0, 'rule 1 (text regex): the pattern cannot be read: missing closing )'],
    [1, 'rule 2 (title xpath): xpath applies to the type html only'],
    [3, 'rule 4 (html xpath): the XPath cannot be used: it is not a valid XPath 1.0 expression'],
  ]);
  expect(read).toEqual(['pattern (a', 'xpath //ok', 'xpath //bad[', 'pattern a(?=b)', 'pattern ^ok$']);
});
