import { describe, expect, it } from '@jest/globals';
import { readResolution, defaultResolution } from './response-times.controller.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe('the resolution of response times', () => {
  it('defaults to single samples for an hour, 1000 seconds for a week and 5000 beyond', () => {
    expect([1, HOUR, HOUR + 1, 7 * DAY, 7 * DAY + 1, 3_650 * DAY].map((length) => defaultResolution(0, length))).toEqual([
      ...['each', 'each', 1_000_000, 1_000_000],
      ...[5_000_000, 5_000_000],
    ]);
    expect(readResolution({}, 0, 7 * DAY)).toBe(1_000_000);
  });

  it('is the requested one, up to the limit of an answer', () => {
    expect(readResolution({ resolution: '60' }, 0, DAY)).toBe(60_000);
    expect(readResolution({ resolution: 'raw' }, 0, 31 * DAY)).toBe('each');
    expect(readResolution({ raw: 'true' }, 0, DAY)).toBe('each');
    expect(() => readResolution({ resolution: 'raw' }, 0, 31 * DAY + 1)).toThrow('raw: at most 31 days');
    expect(readResolution({ resolution: '10' }, 0, 2_000_000_000)).toBe(10_000);
    expect(() => readResolution({ resolution: '10' }, 0, 2_000_000_001)).toThrow('resolution: too fine');
    expect(readResolution({ resolution: '1000' }, 0, 365_000 * DAY)).toBe(1_000_000);
  });

  it.each(['0', '-1', '1.5', '1e3', '', 'fine', '1234567890'])('refuses anything but a whole number of seconds: %j', (resolution) => {
    expect(() => readResolution({ resolution }, 0, DAY)).toThrow('resolution: must be a whole number of seconds, or raw');
  });
});
