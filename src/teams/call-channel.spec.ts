import { Duplex } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { CallFailed, type CallHandler, CallChannel, ChannelClosed } from './call-channel.ts';

/** Two ends of a stream in memory. */
function ends(): readonly [Duplex, Duplex] {
  const made: Duplex[] = [];
  const end = (other: () => Duplex | undefined): Duplex =>
    new Duplex({
      read: () => undefined,
      write: (chunk: Buffer, _encoding, done) => {
        other()?.push(chunk);
        done();
      },
      final: (done) => {
        other()?.push(null);
        done();
      },
    });
  made.push(
    end(() => made[1]),
    end(() => made[0]),
  );
  const [left, right] = made;
  if (left === undefined || right === undefined) throw new Error('both were made');
  return [left, right];
}

const open = (stream: Duplex, handlers: Readonly<Record<string, CallHandler>> = {}): CallChannel =>
  new CallChannel(stream, {
    ...{ handlers, maxMessage: 1_000 },
    problemOf: (error) => ({ name: 'Error', message: error instanceof Error ? error.message : '', code: 'X', detail: { more: 1 } }),
  });

describe('CallChannel', () => {
  it('calls in both directions, and answers out of order', async () => {
    const [left, right] = ends();
    let answer: (text: string) => void = () => undefined;
    const slow = new Promise<string>((resolve) => (answer = resolve));
    const one = open(left, { double: (given) => Number(given) * 2 });
    const other = open(right, { wait: () => slow, echo: (given) => given });
    const waiting = one.call('wait');
    expect(await one.call('echo', { text: 'line\nbreak' })).toEqual({ text: 'line\nbreak' });
    expect(await other.call('double', 21)).toBe(42);
    answer('done');
    expect(await waiting).toBe('done');
  });

  it('rejects with what the other side says about its failure', async () => {
    const [left, right] = ends();
    const one = open(left);
    open(right, { fail: () => Promise.reject(new Error('not today')) });
    const failure = await one.call('fail').catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(CallFailed);
    expect(failure).toMatchObject({ message: 'not today', code: 'X', problem: { detail: { more: 1 } } });
    await expect(one.call('toString')).rejects.toThrow('there is no call toString');
  });

  it('asks the other side to stop a call that is aborted', async () => {
    const [left, right] = ends();
    const one = open(left);
    open(right, { wait: (_, signal) => new Promise((stopped) => signal.addEventListener('abort', () => stopped('stopped'))) });
    const stop = new AbortController();
    const call = one.call('wait', null, stop.signal);
    stop.abort();
    expect(await call).toBe('stopped');
  });

  it.each([
    ['is no message', '{"neither":1}\n', 'a message could not be read'],
    ['is no JSON', 'nonsense\n', 'a message could not be read'],
    ['is too long', `"${'x'.repeat(2_000)}"\n`, 'a message was longer than 1000 bytes'],
    ['is too long before its end', 'x'.repeat(2_000), 'a message was longer than 1000 bytes'],
  ])('closes when what arrives %s', async (_, sent, reason) => {
    const [left, right] = ends();
    const one = open(left);
    const call = one.call('echo').catch((error: unknown) => error);
    right.write(sent);
    expect(await one.closing).toMatchObject({ message: reason, isViolation: true });
    expect(await call).toBeInstanceOf(ChannelClosed);
    await expect(one.call('echo')).rejects.toThrow(reason);
  });

  it('rejects what is under way when the other side ends', async () => {
    const [left, right] = ends();
    const one = open(left);
    const call = one.call('echo');
    right.end();
    await expect(call).rejects.toMatchObject({ isViolation: false });
  });
});
