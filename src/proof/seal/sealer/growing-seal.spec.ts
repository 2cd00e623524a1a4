import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SigningSchedule } from './growing-seal.ts';

describe('the signing schedule', () => {
  it('is not due without new events', () => {
    const schedule = new SigningSchedule();
    expect(schedule.dueIn(0)).toBe(Infinity);
    schedule.grew(10);
    schedule.signed(400);
    expect(schedule.dueIn(1_000_000)).toBe(Infinity);
  });

  it('signs well within a second after the last event of a quiet log', () => {
    const schedule = new SigningSchedule();
    schedule.grew(1_000);
    expect(schedule.dueIn(1_000)).toBeLessThanOrEqual(500);
    expect(schedule.dueIn(1_500)).toBe(0);
  });

  it('signs at least once a minute', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 300, maxLength: 600 }), (pauses) => {
        const schedule = new SigningSchedule();
        let [now, unsignedSince, longest] = [0, null as number | null, 0];
        for (const pause of pauses) {
          schedule.grew(now);
          unsignedSince ??= now;
          now += Math.min(pause, schedule.dueIn(now));
          if (schedule.dueIn(now) === 0) {
            schedule.signed(now);
            unsignedSince = null;
          }
          longest = Math.max(longest, now - (unsignedSince ?? now));
        }
        expect(longest).toBeLessThan(60_000);
      }),
    );
  });

  it('does not sign after every event of a busy log', () => {
    const schedule = new SigningSchedule();
    let signed = 0;
    for (let now = 0; now < 600_000; now += 100) {
      schedule.grew(now);
      if (schedule.dueIn(now) > 0) continue;
      schedule.signed(now);
      signed++;
    }
    expect(signed).toBeGreaterThanOrEqual(10);
    expect(signed).toBeLessThan(20);
  });

  it('signs for a reader when the witness that is asked becomes free, or after two seconds', () => {
    const schedule = new SigningSchedule();
    schedule.grew(0);
    schedule.signed(0);
    schedule.wanted();
    for (let now = 100; now <= 1_900; now += 100) schedule.grew(now);
    expect([schedule.dueIn(1_900, true), schedule.dueIn(1_900), schedule.dueIn(2_000, true)]).toEqual([100, 0, 0]);
  });

  it('signs a busy log once a second while readers wait, and as before once they do not', () => {
    const schedule = new SigningSchedule();
    const signedAt: number[] = [];
    for (let now = 0; now < 60_000; now += 50) {
      schedule.grew(now);
      if (now < 10_000) schedule.wanted();
      if (schedule.dueIn(now) > 0) continue;
      schedule.signed(now);
      signedAt.push(now);
    }
    expect(signedAt).toEqual([...Array.from({ length: 11 }, (_, second) => second * 1_000), 10_050 + 45_000]);
  });
});
