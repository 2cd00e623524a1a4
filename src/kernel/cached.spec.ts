import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { CachedReads, coalesced } from './cached.ts';

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

describe('reads by key', () => {
  it('are shared by concurrent callers and kept, but not when they fail', async () => {
    const cached = new CachedReads<string>(10);
    let reads = 0;
    const read = (): Promise<string> => Promise.resolve(`read ${String((reads += 1))}`);
    expect(await Promise.all([cached.get('a', read), cached.get('a', read), cached.get('b', read)])).toEqual([
      'read 1',
      'read 1',
      'read 2',
    ]);
    expect(await cached.get('a', read)).toBe('read 1');
    await expect(cached.get('c', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
    expect(cached.known('c')).toBeUndefined();
    expect(await cached.get('c', read)).toBe('read 3');
    cached.forget('a');
    expect(await cached.get('a', read)).toBe('read 4');
  });

  it('do not lose a newer read when an older one of the key fails late', async () => {
    const cached = new CachedReads<string>(10);
    let fail: (error: Error) => void = () => undefined;
    const older = cached.get('a', () => new Promise((_, reject) => (fail = reject)));
    cached.forget('a');
    expect(await cached.get('a', () => Promise.resolve('newer'))).toBe('newer');
    fail(new Error('late'));
    await expect(older).rejects.toThrow('late');
    expect(await cached.known('a')).toBe('newer');
  });

  it('are kept no longer than they may', async () => {
    const cached = new CachedReads<number>(10, 20);
    await cached.get('a', () => Promise.resolve(1));
    await new Promise((resolve) => setTimeout(resolve, 40));
    expect(cached.known('a')).toBeUndefined();
  });
});
