import { describe, expect, it } from '@jest/globals';
import { LocalWake } from './wake.ts';

describe('a bell', () => {
  it('remembers a ring that came before the wait, once', async () => {
    const wake = new LocalWake();
    const bell = wake.bell('log');
    wake.ring('log');
    expect(await bell.wait(0)).toBe(true);
    expect(await bell.wait(0)).toBe(false);
  });

  it('wakes all who wait, and only those of its topic', async () => {
    const wake = new LocalWake();
    const waiting = [wake.bell('log').wait(5_000), wake.bell('log').wait(5_000)];
    const other = wake.bell('views').wait(20);
    wake.ring('log');
    expect(await Promise.all(waiting)).toEqual([true, true]);
    expect(await other).toBe(false);
  });

  it('ends its wait when aborted or taken down', async () => {
    const wake = new LocalWake();
    const abort = new AbortController();
    const aborted = wake.bell('log').wait(60_000, abort.signal);
    abort.abort();
    expect(await aborted).toBe(false);
    const bell = wake.bell('log');
    const closed = bell.wait(60_000);
    bell.close();
    expect(await closed).toBe(false);
  });
});
