import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { coalesced } from './cached.ts';

describe('a coalesced read', () => {
  const counted = (keptMs?: number) => {
    let reads = 0;
    return coalesced(() => Promise.resolve(++reads), keptMs);
  };

  it('is shared by concurrent callers', async () => {
    const read = counted();
    expect(await Promise.all([read(), read()])).toEqual([1, 1]);
    expect(await read()).toBe(2);
  });

  it('is kept for a time, until it is forgotten', async () => {
    const read = counted(200);
    expect([await read(), await read()]).toEqual([1, 1]);
    read.forget();
    expect([await read(), await read()]).toEqual([2, 2]);
    await pause(250);
    expect(await read()).toBe(3);
  });

  it('is not kept when it fails', async () => {
    let fails = true;
    const read = coalesced(() => (fails ? Promise.reject(new Error('away')) : Promise.resolve('back')), 60_000);
    await expect(read()).rejects.toThrow('away');
    fails = false;
    expect(await read()).toBe('back');
  });
});
