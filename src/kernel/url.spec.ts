import { expect, it } from '@jest/globals';
import { isUrl } from './url.ts';

it('accepts international addresses also after the call was optimised', () => {
  let read = 0;
  for (let count = 0; count < 100_000; count++) if (isUrl('https://münchen.example/')) read++;
  expect(read).toBe(100_000);
  expect([isUrl('/a', 'https://example.com'), isUrl('/a'), isUrl('https://')]).toEqual([true, false, false]);
});
