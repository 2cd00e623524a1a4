import { describe, expect, it } from '@jest/globals';
import { HOUR_MS } from '../../../kernel/time.ts';
import { KeepThrottle } from './kept-answers.ts';

describe('keeping an answer', () => {
  it('is due at a change of verdict and once an hour', () => {
    const kept = new KeepThrottle();
    const due = (at: number, verdictChanged = false): boolean => kept.isDue('check', at, verdictChanged);
    expect([due(0), due(HOUR_MS - 1), due(HOUR_MS), due(2 * HOUR_MS - 1)]).toEqual([true, false, true, false]);
    expect([due(HOUR_MS + 2, true), due(2 * HOUR_MS), due(2 * HOUR_MS + 2)]).toEqual([true, false, true]);
    expect(kept.isDue('other', HOUR_MS, false)).toBe(true);
  });

  it('evicts the entries of checks that no longer run', () => {
    const kept = new KeepThrottle();
    for (let id = 0; id < 1_000; id++) kept.isDue(`deleted ${String(id)}`, id, false);
    kept.isDue('check', 500, true);
    kept.isDue('check', HOUR_MS + 900, true);
    expect(kept.size).toBe(100);
    kept.isDue('check', 3 * HOUR_MS, false);
    expect(kept.size).toBe(1);
  });
});
