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

  it('polls without a ring at the instant of the others that poll', async () => {
    const wake = new LocalWake();
    const [first, second] = [wake.bell('log'), wake.bell('views')];
    const early = first.poll();
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const late = second.poll();
    expect(await early).toBe(false);
    expect(await Promise.race([late, new Promise((resolve) => setImmediate(resolve, 'still waiting'))])).toBe(false);
  }, 20_000);

  it('ends a poll early when it rings, when aborted, or at the given time', async () => {
    const wake = new LocalWake();
    const bell = wake.bell('log');
    const began = performance.now();
    const rung = bell.poll();
    wake.ring('log');
    expect(await rung).toBe(true);
    const abort = new AbortController();
    const aborted = bell.poll(abort.signal);
    abort.abort();
    expect(await aborted).toBe(false);
    expect(await bell.poll(undefined, 10)).toBe(false);
    expect(performance.now() - began).toBeLessThan(4_000);
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
