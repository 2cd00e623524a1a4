import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { nextOccurrence } from '../../kernel/recurrence.ts';
import { Timetable } from './timetable.ts';

const every = (key: string, periodMs: number, phaseMs = 0) => ({ key, periodMs, phaseMs });

describe('the timetable', () => {
  it('keeps every turn at its phase, whenever it was planned and however late it was taken', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1_000, max: 100_000 }),
        fc.nat(99_999),
        fc.array(fc.integer({ min: 1, max: 300_000 }), { minLength: 1, maxLength: 50, size: 'max' }),
        (periodMs, phase, steps) => {
          const table = new Timetable();
          const phaseMs = phase % periodMs;
          let now = 1_700_000_000_000;
          table.plan(every('a', periodMs, phaseMs), now);
          for (const step of steps) {
            now += step;
            const taken = table.take(now);
            expect(taken.length).toBeLessThanOrEqual(1);
            for (const { due } of taken) expect((due - phaseMs) % periodMs).toBe(0);
            expect(table.dueOf('a')).toBeGreaterThan(now);
            expect(table.dueOf('a')).toBeLessThanOrEqual(now + periodMs);
          }
        },
      ),
    );
  });

  it('takes in the order in which things were due', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1_000_000), { maxLength: 200, size: 'max' }), (dues) => {
        const table = new Timetable();
        dues.forEach((due, index) => {
          table.once(`k${String(index)}`, due);
        });
        const taken = table.take(1_000_000).map(({ due }) => due);
        expect(taken).toEqual([...dues].sort((a, b) => a - b));
        expect(table.size).toBe(0);
      }),
    );
  });

  it('makes up a long pause once', () => {
    const table = new Timetable();
    table.plan(every('a', 1_000), 0);
    expect(table.take(60_000)).toEqual([{ key: 'a', due: 1_000 }]);
    expect(table.next()).toBe(61_000);
  });

  it('lets an extra turn come first, and then goes on as always', () => {
    const table = new Timetable();
    table.plan(every('a', 300_000), 0);
    table.once('a', 20_000);
    expect(table.take(20_000)).toEqual([{ key: 'a', due: 20_000 }]);
    expect(table.dueOf('a')).toBe(300_000);
  });

  it('forgets what was dropped, and moves what was planned anew', () => {
    const table = new Timetable();
    table.plan(every('a', 1_000), 0);
    table.plan(every('b', 1_000), 0);
    table.drop('a');
    table.plan(every('b', 5_000), 0);
    expect(table.take(1_500)).toEqual([]);
    expect(table.next()).toBe(5_000);
  });

  it('plans everything anew when the clock steps back or ahead', () => {
    const table = new Timetable();
    table.plan(every('a', 60_000, 7_000), 3_600_000);
    table.jumped(0, -3_600_000);
    expect(table.dueOf('a')).toBe(nextOccurrence(every('a', 60_000, 7_000), 0));
  });

  it('makes up a turn that the clock stepped over, once, and keeps a while a while', () => {
    const table = new Timetable();
    table.plan(every('a', 60_000), 0);
    table.once('b', 15_000);
    table.jumped(600_000, 600_000);
    expect(table.take(600_000)).toEqual([{ key: 'a', due: 60_000 }]);
    expect(table.take(614_999)).toEqual([]);
    expect(table.take(615_000)).toEqual([{ key: 'b', due: 615_000 }]);
    expect(table.dueOf('a')).toBe(660_000);
  });
});
