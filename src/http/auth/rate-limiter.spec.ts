import { describe, expect, it, jest } from '@jest/globals';
import { RateLimiter } from './rate-limiter.ts';

describe('the rate limit', () => {
  it('lets the given number through in a minute, then says how long to wait', () => {
    let now = 0;
    const limiter = new RateLimiter(3, { now: () => now });
    expect([1, 2, 3].map(() => limiter.take('a'))).toEqual([0, 0, 0]);
    now = 20_500;
    expect(limiter.take('a')).toBe(40);
    expect(limiter.take('b')).toBe(0);
    now = 60_000;
    expect(limiter.take('a')).toBe(0);
  });

  it("does not keep anybody out for longer when the machine's clock is set back", () => {
    const steady = jest.spyOn(performance, 'now').mockReturnValue(0);
    const limiter = new RateLimiter(1);
    expect([1, 2].map(() => limiter.take('a'))).toEqual([0, 60]);
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() - 3_600_000);
    steady.mockReturnValue(60_000);
    expect(limiter.take('a')).toBe(0);
    clock.mockRestore();
    steady.mockRestore();
  });

  it('stays bounded when everybody comes from somewhere else', () => {
    const limiter = new RateLimiter(1, { now: () => 0 });
    for (let index = 0; index < 150_000; index++) limiter.take(String(index));
    expect(limiter.take('149999')).toBeGreaterThan(0);
    expect(limiter.take('0')).toBe(0);
  });
});
