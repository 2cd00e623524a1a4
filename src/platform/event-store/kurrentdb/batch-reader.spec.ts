import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { PassThrough } from 'node:stream';
import { BatchReader } from './batch-reader.ts';

afterEach(() => {
  jest.restoreAllMocks();
});

const source = (): PassThrough => new PassThrough({ objectMode: true });

describe('reading a stream of the client in batches', () => {
  it('delivers what arrived before an error, then the error', async () => {
    const stream = source();
    const reader = new BatchReader<number>(stream);
    stream.write(1);
    stream.write(2);
    expect(await reader.next(1_000)).toEqual([1, 2]);
    stream.destroy(new Error('the connection broke'));
    await expect(reader.next(1_000)).rejects.toThrow('the connection broke');
  });

  it('detects silence even if the clock is set back meanwhile', async () => {
    const waiting = new BatchReader(source()).next(100);
    jest.spyOn(Date, 'now').mockReturnValue(Date.now() - 3_600_000);
    expect(await waiting).toBe('silence');
  });

  it('distinguishes the end from silence and from an abort', async () => {
    const stream = source();
    stream.end();
    expect(await new BatchReader(stream).next(5_000)).toBe('end');
    expect(await new BatchReader(source()).next(5_000, AbortSignal.abort())).toBe('aborted');
  });
});
