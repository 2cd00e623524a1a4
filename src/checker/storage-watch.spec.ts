import { expect, it } from '@jest/globals';
import { until } from '../../test/support/until.ts';
import { StorageWatch } from './storage-watch.ts';

const outage = new Error('away');

it('is away from the first flush that an outage failed until the storage answers', async () => {
  const changes: boolean[] = [];
  let answers = false;
  const watch = new StorageWatch({
    ping: () => (answers ? Promise.resolve() : Promise.reject(outage)),
    isOutage: (error) => error === outage,
    onChanged: (isAway) => changes.push(isAway),
    retryMs: 1,
  });
  watch.flushed(null);
  watch.flushed(new Error('a value that the table refuses'));
  expect(watch.isAway).toBe(false);
  watch.flushed(outage);
  watch.flushed(outage);
  expect([watch.isAway, changes]).toEqual([true, [true]]);
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(watch.isAway).toBe(true);
  answers = true;
  await until(() => Promise.resolve(!watch.isAway), 1_000);
  expect(changes).toEqual([true, false]);
  await watch.close();
});

it('ends with the checker', async () => {
  const watch = new StorageWatch({ ping: () => Promise.reject(outage), isOutage: () => true, onChanged: () => undefined });
  watch.flushed(outage);
  await watch.close();
});
