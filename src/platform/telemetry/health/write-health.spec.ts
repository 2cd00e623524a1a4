import { expect, it } from '@jest/globals';
import { WriteHealth } from './write-health.ts';

const never = new Promise<never>(() => undefined);
const isOutage = (): boolean => true;

it('writes nothing while no append has failed', async () => {
  const health = new WriteHealth(() => Promise.reject(new Error('a probe')));
  await health.observe(() => Promise.resolve('appended'), isOutage);
  await health.check();
});

it('names the reason of the last failure until a probe or an append succeeds', async () => {
  let probe: () => Promise<void> = () => Promise.reject(new Error('still full'));
  const health = new WriteHealth(() => probe());
  const fail = (): Promise<void> =>
    health.observe(() => Promise.reject(new Error('No space left on device')), isOutage).catch(() => undefined);
  await fail();
  await expect(health.check()).rejects.toThrow('the last write failed: No space left on device');
  probe = () => Promise.resolve();
  await health.check();
  await fail();
  await health.observe(() => Promise.resolve(), isOutage);
  probe = () => Promise.reject(new Error('a probe'));
  await health.check();
});

it('probes once at a time, also while a probe hangs', async () => {
  let probes = 0;
  const health = new WriteHealth(() => (probes++, never));
  await health.observe(() => Promise.reject(new Error('failed')), isOutage).catch(() => undefined);
  const checks = await Promise.allSettled([health.check(), health.check()]);
  expect(checks.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(probes).toBe(1);
});

it('reports an append that waits for its commit', async () => {
  let now = 0;
  const health = new WriteHealth(() => Promise.resolve(), { now: () => now });
  void health.observe(() => never, isOutage);
  now = 3_000;
  await health.check();
  now = 4_000;
  await expect(health.check()).rejects.toThrow('a write has waited 4 s for its commit');
});

it('ignores an append that was refused for its own sake', async () => {
  const health = new WriteHealth(() => Promise.reject(new Error('a probe')));
  await health
    .observe(
      () => Promise.reject(new Error('too large')),
      () => false,
    )
    .catch(() => undefined);
  await health.check();
});
