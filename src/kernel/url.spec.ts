import { expect, it } from '@jest/globals';
import { isUrl } from './url.ts';

it('reads international addresses however often it is asked', () => {
  let read = 0;
  for (let count = 0; count < 100_000; count++) if (isUrl('https://münchen.example/')) read++;
  expect(read).toBe(100_000);
  expect([isUrl('/a', 'https://example.com'), isUrl('/a'), isUrl('https://')]).toEqual([true, false, false]);
});
