import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { nextOccurrence } from '../../kernel/recurrence.ts';
import { Timetable } from './timetable.ts';
import type { RecurringTurn, TurnKey } from './turn.ts';

const turnOf = (subjectId: string): TurnKey => ({ kind: 'area', projectId: 'p', subjectId });
const [a, b] = [turnOf('a'), turnOf('b')];
const every = (turn: TurnKey, periodMs: number, phaseMs = 0): RecurringTurn => ({ turn, periodMs, phaseMs });

describe('the timetable', () => {
  it('keeps every turn at its phase, whenever it is planned and however late it is taken', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1_000, max: 100_000 }),
        fc.nat(99_999),
        fc.array(fc.integer({ min: 1, max: 300_000 }), { minLength: 1, maxLength: 50, size: 'max' }),
        (periodMs, phase, steps) => {
          const table = new Timetable();
          const phaseMs = phase % periodMs;
          let now = 1_700_000_000_000;
          table.plan(every(a, periodMs, phaseMs), now);
          for (const step of steps) {
            now += step;
            const taken = table.takeDue(now);
            expect(taken.length).toBeLessThanOrEqual(1);
            for (const { due } of taken) expect((due - phaseMs) % periodMs).toBe(0);
            expect(table.dueOf(a)).toBeGreaterThan(now);
            expect(table.dueOf(a)).toBeLessThanOrEqual(now + periodMs);
          }
        },
      ),
    );
  });

  it('returns turns in the order in which they are due', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1_000_000), { maxLength: 200, size: 'max' }), (dues) => {
        const table = new Timetable();
        dues.forEach((due, index) => {
          table.scheduleOnce(turnOf(String(index)), due);
        });
        const taken = table.takeDue(1_000_000).map(({ due }) => due);
        expect(taken).toEqual([...dues].sort((one, other) => one - other));
        expect(table.size).toBe(0);
      }),
    );
  });

  it('makes up a missed turn once after a long pause', () => {
    const table = new Timetable();
    table.plan(every(a, 1_000), 0);
    expect(table.takeDue(60_000)).toEqual([{ ...a, due: 1_000 }]);
    expect(table.nextDue()).toBe(61_000);
  });

  it('takes an extra turn first, and keeps the recurrence', () => {
    const table = new Timetable();
    table.plan(every(a, 300_000), 0);
    table.scheduleOnce(a, 20_000);
    expect(table.takeDue(20_000)).toEqual([{ ...a, due: 20_000 }]);
    expect(table.dueOf(a)).toBe(300_000);
  });

  it('forgets a dropped turn, and replans one with another period', () => {
    const table = new Timetable();
    table.plan(every(a, 1_000), 0);
    table.plan(every(b, 1_000), 0);
    table.drop(a);
    table.plan(every(b, 5_000), 0);
    expect(table.takeDue(1_500)).toEqual([]);
    expect(table.nextDue()).toBe(5_000);
  });

  it('replans everything when the clock steps back', () => {
    const table = new Timetable();
    table.plan(every(a, 60_000, 7_000), 3_600_000);
    table.clockStepped(0, -3_600_000);
    expect(table.dueOf(a)).toBe(nextOccurrence(every(a, 60_000, 7_000), 0));
  });

  it('makes up a turn that the clock stepped over once, and keeps the delay of an extra turn', () => {
    const table = new Timetable();
    table.plan(every(a, 60_000), 0);
    table.scheduleOnce(b, 15_000);
    table.clockStepped(600_000, 600_000);
    expect(table.takeDue(600_000)).toEqual([{ ...a, due: 60_000 }]);
    expect(table.takeDue(614_999)).toEqual([]);
    expect(table.takeDue(615_000)).toEqual([{ ...b, due: 615_000 }]);
    expect(table.dueOf(a)).toBe(660_000);
  });
});
