import { expect, it } from '@jest/globals';
import { shownValue } from './shown-value.ts';

it('shows text as it is, what was not there as nothing, and other values as JSON', () => {
  expect([shownValue('Shop'), shownValue(null), shownValue(undefined), shownValue(false)]).toEqual(['Shop', '', '', 'false']);
  expect(shownValue({ status: 'ok' })).toBe('{"status":"ok"}');
});

it('cuts what is long', () => {
  expect(shownValue('x'.repeat(1_000))).toHaveLength(301);
});
