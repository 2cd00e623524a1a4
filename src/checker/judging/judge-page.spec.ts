import { expect, it } from '@jest/globals';
import type { RuleCondition } from '../rules/rule.ts';
import { isCheap } from './judge-page.ts';

const pattern = (nth: number): RuleCondition => ({ type: 'html', op: 'regex', val: `a.b${String(nth)}` });
const job = (rules: readonly RuleCondition[], length: number) => ({
  answer: {
    url: 'https://a.test/',
    httpVersion: '1.1',
    status: 200,
    statusText: 'OK',
    headers: [],
    redirectedBy: null,
    body: Buffer.alloc(length),
    cut: false,
  },
  ...({ rules, type: 'simple', defaultErrors: false } as const),
});

it('does not count as cheap many cheap patterns together, a large page, an XPath, or a pattern that is slow to compile', () => {
  const many = Array.from({ length: 100 }, (_, nth) => pattern(nth));
  expect(isCheap(job(many.slice(0, 3), 30_000))).toBe(true);
  expect(isCheap(job(many, 30_000))).toBe(false);
  expect(isCheap(job([], 200_000))).toBe(false);
  expect(isCheap(job([{ type: 'html', op: 'xpath', val: '//a' }], 10))).toBe(false);
  expect(isCheap(job([{ type: 'json:$.a', op: 'eq', val: '1' }], 10))).toBe(false);
  expect(isCheap(job([{ type: 'html', op: 'regex', val: '(?i)[B-\u{1E000}]' }], 10))).toBe(false);
});
