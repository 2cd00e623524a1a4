import { describe, expect, it } from '@jest/globals';
import { wantsJson } from './accept-header.ts';

describe('the Accept header of a client that wants the token in JSON', () => {
  it.each(['application/json', 'application/json, text/html', 'application/*', 'text/plain;q=0, */*', 'APPLICATION/JSON; charset=utf-8'])(
    'may be %p',
    (accept) => {
      expect(wantsJson(accept)).toBe(true);
    },
  );

  it.each([
    undefined,
    '*/*',
    'text/plain',
    'application/json, text/plain, */*',
    'application/json;q=0.9, text/*',
    'text/html',
    'application/json;q=0',
  ])('is not %p', (accept) => {
    expect(wantsJson(accept)).toBe(false);
  });
});
