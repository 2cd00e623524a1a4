import { describe, expect, it } from '@jest/globals';
import { shortOf, localInstants } from './instants.ts';

const NOW = Date.parse('2026-11-26T19:00:00Z');

describe('the instants of a sentence', () => {
  it('are written in the zone of the reader, whatever their own', () => {
    const down = shortOf(Date.parse('2026-11-15T23:03:32.007Z'), NOW);
    expect(localInstants('up again after being down since 2026-11-15T23:03:32.007Z', NOW)).toBe(`up again after being down since ${down}`);
    expect(localInstants('from 2026-11-16T00:03:32+01:00 on', NOW)).toBe(`from ${down} on`);
  });

  it('leave everything else as it is', () => {
    const text = 'expected "2026-11-15", found version 1.2 at 12:30, or 2026-13-45T99:00Z';
    expect(localInstants(text, NOW)).toBe(text);
  });
});
