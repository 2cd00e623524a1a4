import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type DayInterval, packDay, startOfDay, unpackDay } from './day-intervals.codec.ts';
import { DAY_MS } from '../../../kernel/time.ts';

const day = '2024-02-29';
const start = startOfDay(day);

describe('a packed day', () => {
  it('takes a few bytes without a change of state', () => {
    const intervals: DayInterval[] = [{ from: start, to: start + DAY_MS, state: 'up' }];
    expect(packDay(day, intervals).length).toBeLessThan(12);
    expect(unpackDay(day, packDay(day, intervals))).toEqual(intervals);
  });

  it('round-trips exactly', () => {
    const cuts = fc.uniqueArray(fc.integer({ min: 0, max: DAY_MS }), { maxLength: 60, size: 'max' });
    fc.assert(
      fc.property(cuts, fc.infiniteStream(fc.constantFrom('up', 'down', 'timeout', null)), (at, states) => {
        const sorted = [...at].sort((one, other) => one - other);
        const intervals = sorted.slice(1).flatMap((to, index) => {
          const state = states.next().value ?? null;
          return state === null ? [] : [{ from: start + (sorted[index] ?? 0), to: start + to, state }];
        });
        expect(unpackDay(day, packDay(day, intervals))).toEqual(intervals);
      }),
    );
  });

  it('of a site that changes state at every probe fits into 6 KB as text', () => {
    let seed = 7;
    const jitter = (): number => (seed = (seed * 16_807) % 2_147_483_647) % 8;
    const cuts = Array.from({ length: 5761 }, (_, index) => Math.min(DAY_MS, index * 15_000 + jitter()));
    const intervals = cuts.slice(1).map((to, index) => ({
      from: start + (cuts[index] ?? 0),
      to: start + to,
      state: index % 2 === 0 ? ('down' as const) : ('timeout' as const),
    }));
    expect(packDay(day, intervals).toString('base64').length).toBeLessThan(6 * 1024);
    expect(unpackDay(day, packDay(day, intervals))).toEqual(intervals);
  });

  it('refuses intervals that overlap or extend beyond the day', () => {
    expect(() => packDay(day, [{ from: start - 1, to: start, state: 'up' }])).toThrow(RangeError);
    expect(() => packDay(day, [{ from: start, to: start + DAY_MS + 1, state: 'up' }])).toThrow(RangeError);
    expect(() =>
      packDay(day, [
        { from: start, to: start + 5, state: 'up' },
        { from: start + 4, to: start + 6, state: 'up' },
      ]),
    ).toThrow(RangeError);
  });

  it('refuses truncated bytes', () => {
    const packed = packDay(day, [{ from: start + 7, to: start + 99_999, state: 'up' }]);
    expect(() => unpackDay(day, packed.subarray(0, packed.length - 2))).toThrow(RangeError);
  });
});
