import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { PassThrough } from 'node:stream';
import { Intake } from './intake.ts';

afterEach(() => {
  jest.restoreAllMocks();
});

const source = (): PassThrough => new PassThrough({ objectMode: true });

describe('taking from a stream', () => {
  it('tells what came, then an error that came after it', async () => {
    const stream = source();
    const intake = new Intake<number>(stream);
    stream.write(1);
    stream.write(2);
    expect(await intake.next(1_000)).toEqual([1, 2]);
    stream.destroy(new Error('the connection broke'));
    await expect(intake.next(1_000)).rejects.toThrow('the connection broke');
  });

  it('notices silence also when the clock is set back while it waits', async () => {
    const waiting = new Intake(source()).next(100);
    jest.spyOn(Date, 'now').mockReturnValue(Date.now() - 3_600_000);
    expect(await waiting).toBe('silence');
  });

  it('tells an end from silence, and from being told to stop', async () => {
    const stream = source();
    stream.end();
    expect(await new Intake(stream).next(5_000)).toBe('end');
    expect(await new Intake(source()).next(5_000, AbortSignal.abort())).toBe('aborted');
  });
});
