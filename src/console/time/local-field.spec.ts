import { expect, it } from '@jest/globals';
import { localField } from './instants.ts';

it('writes an instant so that a field for date and time reads the same one', () => {
  const at = Date.parse('2026-11-21T13:58:04Z');
  expect(new Date(localField(at)).getTime()).toBe(at);
  expect(localField(at)).toMatch(/^2026-11-2\dT\d\d:\d\d:04$/);
});
