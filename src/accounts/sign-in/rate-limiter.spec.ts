import { describe, expect, it, jest } from '@jest/globals';
import { RateLimiter } from '../budgets/rate-limit.ts';

/** Seconds to wait; 0: within the limit. */
function count(limiter: RateLimiter, key: string): number {
  const state = limiter.count(key);
  return state === null || state.used <= state.limit ? 0 : state.secondsLeft;
}

describe('the rate limit', () => {
  it('allows the given number of requests per minute, then answers how long to wait', () => {
    let now = 0;
    const limiter = new RateLimiter(3, { now: () => now });
    expect([1, 2, 3].map(() => count(limiter, 'a'))).toEqual([0, 0, 0]);
    now = 20_500;
    expect(count(limiter, 'a')).toBe(40);
    expect(count(limiter, 'b')).toBe(0);
    now = 60_000;
    expect(count(limiter, 'a')).toBe(0);
  });

  it("does not extend a window when the machine's clock is set back", () => {
    const steady = jest.spyOn(performance, 'now').mockReturnValue(0);
    const limiter = new RateLimiter(1);
    expect([1, 2].map(() => count(limiter, 'a'))).toEqual([0, 60]);
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() - 3_600_000);
    steady.mockReturnValue(60_000);
    expect(count(limiter, 'a')).toBe(0);
    clock.mockRestore();
    steady.mockRestore();
  });

  it('keeps a bounded number of windows', () => {
    const limiter = new RateLimiter(1, { now: () => 0 });
    for (let index = 0; index < 150_000; index++) limiter.count(String(index));
    expect(count(limiter, '149999')).toBeGreaterThan(0);
    expect(count(limiter, '0')).toBe(0);
  });
});
