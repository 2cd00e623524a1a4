import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ruleFailure } from '../../test/support/rule-cases.ts';
import type { ValueOperator } from '../checker/rules/rule.ts';
import { readStatusRange, type StatusRange, statusRules } from './status-rules.ts';

const admits = (ranges: readonly StatusRange[], status: number): boolean =>
  statusRules(ranges).every(({ op, val }) => ruleFailure('status', op as ValueOperator, val, { status }) === null);

const range = fc
  .tuple(fc.integer({ min: 100, max: 999 }), fc.integer({ min: 0, max: 300 }))
  .map(([from, more]): StatusRange => ({ from, to: Math.min(999, from + more) }));

it('admits exactly the status codes of the ranges', () => {
  fc.assert(
    fc.property(fc.array(range, { minLength: 1, maxLength: 4 }), (ranges) => {
      const codes = Array.from({ length: 900 }, (_, nth) => 100 + nth);
      const expected = codes.filter((status) => ranges.some(({ from, to }) => status >= from && status <= to));
      expect(codes.filter((status) => admits(ranges, status))).toEqual(expected);
    }),
    { numRuns: 30 },
  );
});

it('prefers comparisons to patterns', () => {
  expect(statusRules([{ from: 200, to: 299 }]).map(({ op, val }) => `${op} ${val}`)).toEqual(['gte 200', 'lte 299']);
  expect(
    statusRules([
      { from: 200, to: 299 },
      { from: 301, to: 308 },
    ]).map(({ op, val }) => `${op} ${val}`),
  ).toEqual([String.raw`regex ^(?:2\d\d|30[1-8])$`]);
  expect(statusRules([{ from: 100, to: 999 }])).toEqual([]);
});

it.each([
  ['200', { from: 200, to: 200 }],
  ['200-299', { from: 200, to: 299 }],
  ['2xx', { from: 200, to: 299 }],
  [' 200 - 204 ', { from: 200, to: 204 }],
  ['299-200', null],
  ['2000', null],
  ['ok', null],
])('reads %j', (text, expected) => {
  expect(readStatusRange(text)).toEqual(expected);
});
