import { describe, expect, it } from '@jest/globals';
import { Lifecycle, type LongRunning } from './lifecycle.ts';

function recorded(): { readonly calls: string[]; readonly part: (name: string, own?: Partial<LongRunning>) => LongRunning } {
  const calls: string[] = [];
  const call = (what: string) => (): Promise<void> => {
    calls.push(what);
    return Promise.resolve();
  };
  return {
    calls,
    part: (name, own) => ({
      start: call(`start ${name}`),
      ready: call(`ready ${name}`),
      drain: call(`drain ${name}`),
      close: call(`close ${name}`),
      ...own,
    }),
  };
}

describe('Lifecycle', () => {
  it('starts parts in order, each after the one before is ready, and closes them in reverse', async () => {
    const { calls, part } = recorded();
    const lifecycle = new Lifecycle().add(part('a'), part('b'));
    await lifecycle.start();
    lifecycle.add(part('c'));
    await lifecycle.start();
    await lifecycle.drain();
    await lifecycle.close();
    expect(calls).toEqual([
      ...['start a', 'ready a', 'start b', 'ready b', 'start c', 'ready c'],
      ...['drain a', 'drain b', 'drain c'],
      ...['close c', 'close b', 'close a'],
    ]);
  });

  it('starts nothing more once it is closed, and closes the parts that never started, too', async () => {
    const { calls, part } = recorded();
    const waiting = part('a', {
      ready: (signal) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            resolve();
          });
        }),
    });
    const lifecycle = new Lifecycle().add(waiting, part('b'));
    const starting = lifecycle.start();
    await Promise.resolve();
    await lifecycle.close();
    await starting;
    expect(calls).toEqual(['start a', 'close b', 'close a']);
  });

  it('names the parts that have not closed yet', async () => {
    const { part } = recorded();
    let release: (() => void) | undefined;
    const hanging = new Promise<void>((resolve) => (release = resolve));
    const lifecycle = new Lifecycle().add(
      part('a', { name: 'a' }),
      part('b', { name: 'b', close: () => hanging }),
      part('c', { name: 'c' }),
    );
    await lifecycle.start();
    expect([lifecycle.isClosing, lifecycle.pending]).toEqual([false, []]);
    const closing = lifecycle.close();
    await new Promise(setImmediate);
    expect([lifecycle.isClosing, lifecycle.pending]).toEqual([true, ['b', 'a']]);
    release?.();
    await closing;
    expect(lifecycle.pending).toEqual([]);
  });

  it('closes the other parts when one fails to close, once, and reports the failure', async () => {
    const { calls, part } = recorded();
    const lifecycle = new Lifecycle().add(part('a'), part('b', { close: () => Promise.reject(new Error('b hangs')) }));
    await lifecycle.start();
    await expect(lifecycle.close()).rejects.toMatchObject({ errors: [new Error('b hangs')] });
    await expect(lifecycle.close()).rejects.toThrow('1 parts did not close');
    expect(calls.filter((call) => call === 'close a')).toHaveLength(1);
  });
});
