import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { returnPathOf } from './return-path.ts';

const ORIGIN = 'https://watch.example';

it('leads back to a status page, in its language', () => {
  for (const path of ['/status/team', '/status/team?lang=de', '/status/caf%C3%A9']) expect(returnPathOf(path, ORIGIN)).toBe(path);
  expect(returnPathOf(null, ORIGIN)).toBeNull();
});

it.each([
  '',
  '/',
  '/console',
  '/api/account',
  '//evil.example',
  '//evil.example/status/team',
  '///evil.example/status/team',
  '/\\evil.example',
  '\\\\evil.example',
  '/status/\\evil.example',
  '/\t/evil.example',
  '/status/\n/evil.example',
  'https://evil.example/status/team',
  'https:evil.example',
  'HTTPS://watch.example@evil.example/status/team',
  'javascript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'status/team',
  ' /status/team',
  '/status/../api/account',
  '/status/..//evil.example',
  '/status/%2e%2e//evil.example',
  '/status/team#code=stolen',
  `/status/${'a'.repeat(500)}`,
])('leads nowhere by %j', (hostile) => {
  expect(returnPathOf(hostile, ORIGIN)).toBeNull();
});

it('answers no address but one of a status page of the same origin, whatever was given', () => {
  const parts = fc.constantFrom(
    '/',
    '\\',
    '.',
    '..',
    '%2e',
    '%2f',
    '%5c',
    ':',
    '@',
    '?',
    '#',
    '\t',
    '\r',
    'status',
    'evil.example',
    'https:',
  );
  const hostile = fc.oneof(
    fc.array(parts, { maxLength: 12 }).map((found) => found.join('')),
    fc.array(parts, { maxLength: 10 }).map((found) => `/status/${found.join('')}`),
    fc.string(),
  );
  fc.assert(
    fc.property(hostile, (given) => {
      const path = returnPathOf(given, ORIGIN);
      if (path === null) return;
      // As a browser reads what `location` is set to.
      const opened = new URL(path, `${ORIGIN}/console`);
      expect(opened.origin).toBe(ORIGIN);
      expect(opened.pathname).toMatch(/^\/status\//);
    }),
  );
});
