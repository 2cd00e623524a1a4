import { afterEach, expect, it } from '@jest/globals';
import { setMaxListeners } from 'node:events';
import { hasListenerLeakWarning } from '../../../test/support/listener-leak.ts';
import { LeaseKeeper } from './postgres-leases.ts';

let keeper: LeaseKeeper;
afterEach(() => keeper.close());

it('lets everything that is done under a lease listen to its end, however much that is, without a warning of a leak', () => {
  keeper = new LeaseKeeper({ renewMs: 60_000, lostMs: 60_000 }, (held) => Promise.resolve(held.map(({ name }) => name)));
  const signal = keeper.keep({ name: 'eu-1', epoch: 1 }, performance.now());
  let heard = 0;
  for (let nth = 0; nth < 1_000; nth++) signal.addEventListener('abort', () => heard++);
  expect(hasListenerLeakWarning(signal)).toBe(false);
  expect(keeper.drop('eu-1')).toBe(true);
  expect(heard).toBe(1_000);
  expect(keeper.drop('eu-1')).toBe(false);
});

it('ends the lease that is given back, not the one of the same name that came after it', () => {
  keeper = new LeaseKeeper({ renewMs: 60_000, lostMs: 60_000 }, (held) => Promise.resolve(held.map(({ name }) => name)));
  const first = keeper.keep({ name: 'eu-1', epoch: 1 }, performance.now());
  const second = keeper.keep({ name: 'eu-1', epoch: 3 }, performance.now());
  expect([first.aborted, second.aborted]).toEqual([true, false]);
  expect(keeper.drop('eu-1', 1)).toBe(false);
  expect(second.aborted).toBe(false);
  expect(keeper.drop('eu-1', 3)).toBe(true);
  expect(second.aborted).toBe(true);
});

it('would be warned of', () => {
  const { signal } = new AbortController();
  // As node 20 and 22 do by themselves; to node 24 a signal has no bound.
  setMaxListeners(10, signal);
  for (let nth = 0; nth < 20; nth++) signal.addEventListener('abort', () => undefined);
  expect(hasListenerLeakWarning(signal)).toBe(true);
});
