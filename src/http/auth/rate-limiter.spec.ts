import { describe, expect, it, jest } from '@jest/globals';
import { RateLimiter } from './rate-limiter.ts';

describe('the rate limit', () => {
  it('allows the given number of requests per minute, then answers how long to wait', () => {
    let now = 0;
    const limiter = new RateLimiter(3, { now: () => now });
    expect([1, 2, 3].map(() => limiter.count('a'))).toEqual([0, 0, 0]);
    now = 20_500;
    expect(limiter.count('a')).toBe(40);
    expect(limiter.count('b')).toBe(0);
    now = 60_000;
    expect(limiter.count('a')).toBe(0);
  });

  it("does not extend a window when the machine's clock is set back", () => {
    const steady = jest.spyOn(performance, 'now').mockReturnValue(0);
    const limiter = new RateLimiter(1);
    expect([1, 2].map(() => limiter.count('a'))).toEqual([0, 60]);
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() - 3_600_000);
    steady.mockReturnValue(60_000);
    expect(limiter.count('a')).toBe(0);
    clock.mockRestore();
    steady.mockRestore();
  });

  it('keeps a bounded number of windows', () => {
    const limiter = new RateLimiter(1, { now: () => 0 });
    for (let index = 0; index < 150_000; index++) limiter.count(String(index));
    expect(limiter.count('149999')).toBeGreaterThan(0);
    expect(limiter.count('0')).toBe(0);
  });
});
