import { expect, it } from '@jest/globals';
import type { RunStore } from '../../platform/observations/runs/run-store.ts';
import { Confirmations } from './confirmations.ts';

const run = (checkId: string, seconds: number, outcome: 'ok' | 'error' | 'timeout') => ({ checkId, at: seconds * 1_000, outcome });

it('a run is confirmed when it passed or when an adjacent run of the same check failed, too', async () => {
  const stored = [
    ...[run('a', 100, 'ok'), run('a', 200, 'error'), run('a', 220, 'timeout'), run('a', 300, 'ok'), run('a', 400, 'error')],
    ...[run('a', 500, 'ok'), run('b', 200, 'error'), run('b', 210, 'ok')],
  ];
  const asked: unknown[] = [];
  const runs = { between: (...given: unknown[]) => (asked.push(given), Promise.resolve(stored)) } as unknown as RunStore;
  const confirmed = await new Confirmations(runs).read('p', stored);
  expect(stored.filter(confirmed)).toEqual(
    stored.filter(({ at, checkId, outcome }) => outcome === 'ok' || (checkId === 'a' && at < 300_000)),
  );
  expect(asked).toHaveLength(1);
});

it('runs that passed need no query', async () => {
  const runs = { between: () => Promise.reject(new Error('nothing to look for')) } as unknown as RunStore;
  const passed = run('a', 100, 'ok');
  expect((await new Confirmations(runs).read('p', [passed]))(passed)).toBe(true);
});
