import { afterEach, expect, it } from '@jest/globals';
import { compiledWorker } from '../../../test/support/compiled-worker.ts';
import type { FormsTask } from '../forms/found-form.ts';
import { WorkerPool } from './worker-pool.ts';

const entry = compiledWorker(new URL('../forms/forms-worker.ts', import.meta.url));
const task: FormsTask = { html: '<form></form>', url: 'https://site.example/', charset: 'utf-8' };
const ignoreMessages = (): undefined => undefined;

let pool: WorkerPool;
afterEach(() => pool.close());

it('refuses tasks at once while its queue is full, and runs the queued ones', async () => {
  pool = new WorkerPool({ entry, size: 1, maxQueue: 3 });
  const endings = await Promise.all(Array.from({ length: 10 }, () => pool.run(task, 10_000, ignoreMessages)));
  expect(endings).toEqual([...Array<string>(4).fill('done'), ...Array<string>(6).fill('crowded')]);
  expect(pool.queue).toMatchObject({ queued: 0, refused: 6 });
});

it('limits the bytes of the queued tasks, but accepts a single task of any size', async () => {
  pool = new WorkerPool({ entry, size: 1, maxQueueBytes: 100 });
  const bytes = [1_000, 1_000, 1, 1_000, 90];
  const first = pool.run(task, 10_000, ignoreMessages, { bytes: 1 });
  const endings = await Promise.all(bytes.map((one) => pool.run(task, 10_000, ignoreMessages, { bytes: one })));
  expect([await first, ...endings]).toEqual(['done', 'done', 'crowded', 'crowded', 'crowded', 'crowded']);
  const again = await Promise.all([50, 40, 20].map((one) => pool.run(task, 10_000, ignoreMessages, { bytes: one })));
  expect(again).toEqual(['done', 'done', 'done']);
});

it('gives each account its turn, so that many slow tasks of one delay the others by one only', async () => {
  pool = new WorkerPool({ entry, size: 1 });
  const ended: string[] = [];
  const run = (name: string, account: number) =>
    pool.run(task, 10_000, ignoreMessages, { source: { account }, bytes: 1_000 }).then((result) => ended.push(`${name} ${result}`));
  await Promise.all([...Array.from({ length: 20 }, () => run('greedy', 1)), run('other', 2)]);
  expect(ended.indexOf('other done')).toBeLessThanOrEqual(2);
});

it('refuses the tasks of the account whose share of the queued bytes is used up, and those of no other', async () => {
  pool = new WorkerPool({ entry, size: 1, maxQueueBytes: 1_000 });
  const run = (account: number) => pool.run(task, 10_000, ignoreMessages, { source: { account }, bytes: 100 });
  const greedy = Array.from({ length: 30 }, () => run(1));
  const others = await Promise.all([run(2), run(3), run(4)]);
  expect(others).toEqual(['done', 'done', 'done']);
  expect((await Promise.all(greedy)).filter((result) => result === 'crowded').length).toBeGreaterThan(20);
});
