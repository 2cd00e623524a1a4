import { expect, it } from '@jest/globals';
import { LeaseTable, MemoryLeases } from './memory-leases.ts';

it('gives a lease to one at a time, with a growing epoch', async () => {
  const table = new LeaseTable();
  const [one, two] = [new MemoryLeases(table), new MemoryLeases(table)];
  const first = await one.acquire('core');
  expect(first?.epoch).toBe(1);
  expect(await two.acquire('core')).toBeNull();
  expect(await one.acquire('core')).toBeNull();
  await first?.release();
  expect(first?.signal.aborted).toBe(true);
  expect((await two.acquire('core'))?.epoch).toBe(2);
});

it('lets another take over from an instance that crashed, and fences that off', async () => {
  const table = new LeaseTable();
  const [one, two] = [new MemoryLeases(table), new MemoryLeases(table)];
  await one.acquire('core');
  const worked = two.hold('core', new AbortController().signal, (_, lease) => {
    expect(lease.epoch).toBe(2);
    expect(two.holds('core', 1)).toBe(false);
    expect(two.holds('core', 2)).toBe(true);
    return Promise.resolve();
  });
  one.crash();
  await worked;
  expect(two.holds('core', 2)).toBe(false);
});
