import { describe, expect, it } from '@jest/globals';
import { WriteBehind } from './write-behind.ts';

const MEGABYTE = 1024 * 1024;

function recording(flushMs = 2_000_000) {
  const writes: number[][] = [];
  const queue = new WriteBehind<number, string>(
    (items) => {
      writes.push([...items]);
      return Promise.resolve(items.map((item) => `wrote ${String(item)}`));
    },
    { flushMs, bytesOf: (item) => item },
  );
  return { writes, queue };
}

describe('write-behind', () => {
  it('gathers items into one write and answers each with its own outcome', async () => {
    const { writes, queue } = recording(20);
    expect(await Promise.all([1, 2, 3].map((item) => queue.add(item, false)))).toEqual(['wrote 1', 'wrote 2', 'wrote 3']);
    expect(writes).toEqual([[1, 2, 3]]);
  });

  it('writes at once what fills a write, and never more than that in one', async () => {
    const { writes, queue } = recording();
    await Promise.all([1, 2, 3].map((megabytes) => queue.add(megabytes * MEGABYTE, false)));
    expect(writes).toEqual([[MEGABYTE, 2 * MEGABYTE], [3 * MEGABYTE]]);
    // The bytes that were written do not count any more.
    void queue.add(MEGABYTE, false);
    await new Promise((done) => setTimeout(done, 20));
    expect(queue.length).toBe(1);
  });

  it('writes an item that is larger than a write alone', async () => {
    const { writes, queue } = recording();
    await Promise.all([1, 9 * MEGABYTE, 2].map((item) => queue.add(item, item === 2)));
    expect(writes).toEqual([[1], [9 * MEGABYTE], [2]]);
  });
});
