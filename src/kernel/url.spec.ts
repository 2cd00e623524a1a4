import { expect, it } from '@jest/globals';
import { isSameSite, isUrl } from './url.ts';

it('accepts international addresses also after the call was optimised', () => {
  let read = 0;
  for (let count = 0; count < 100_000; count++) if (isUrl('https://münchen.example/')) read++;
  expect(read).toBe(100_000);
  expect([isUrl('/a', 'https://example.com'), isUrl('/a'), isUrl('https://')]).toEqual([true, false, false]);
});

it.each([
  ['https://site.example/a', 'https://site.example/b', true],
  ['http://site.example', 'https://site.example', true],
  ['http://site.example:8080', 'https://site.example:8080', true],
  ['https://site.example', 'http://site.example', false],
  ['https://site.example', 'https://site.example.evil.example', false],
  ['https://site.example', 'https://site.example:8443', false],
  ['http://site.example', 'https://www.site.example', false],
])('from %s to %s, it is the same site: %s', (left, entered, same) => {
  expect(isSameSite(left, entered)).toBe(same);
});
