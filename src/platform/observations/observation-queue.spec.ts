import { describe, expect, it } from '@jest/globals';
import type { FencedBatch } from './packs/pack-writer.ts';
import { ObservationQueue } from './observation-queue.ts';

const fence = { name: 'eu-1', epoch: 2 };

function recording(answer: (batches: readonly FencedBatch<number>[]) => Promise<ReadonlySet<string>>, flushMs = 50) {
  const flushes: number[][] = [];
  const store = {
    accept: (batches: readonly FencedBatch<number>[]) => {
      flushes.push(batches.flatMap(({ observed }) => observed.map(({ item }) => item)));
      return answer(batches);
    },
  };
  return { flushes, queue: new ObservationQueue(store, { flushMs }) };
}
const held = (batches: readonly FencedBatch<number>[]) => Promise.resolve(new Set(batches.map((batch) => batch.fence.name)));

describe('the write-behind queue', () => {
  it('flushes concurrent observations together', async () => {
    const { flushes, queue } = recording(held);
    expect(await Promise.all([1, 2, 3].map((item) => queue.add(fence, 'p', item, false)))).toEqual([true, true, true]);
    expect(flushes).toEqual([[1, 2, 3]]);
  });

  it('flushes at once for an urgent observation, with all that wait', async () => {
    const { flushes, queue } = recording(held, 2_000_000);
    await Promise.all([queue.add(fence, 'p', 1, false), queue.add(fence, 'p', 2, true)]);
    expect(flushes).toEqual([[1, 2]]);
  });

  it('resolves false for a refused observation and rejects for an unknown outcome', async () => {
    const refusing = recording(() => Promise.resolve(new Set()));
    expect(await refusing.queue.add(fence, 'p', 1, true)).toBe(false);
    const broken = recording(() => Promise.reject(new Error('away')));
    await expect(broken.queue.add(fence, 'p', 1, true)).rejects.toThrow('away');
  });

  it('runs one flush at a time and keeps what arrives meanwhile', async () => {
    let underWay = 0;
    let most = 0;
    const { flushes, queue } = recording(async (batches) => {
      most = Math.max(most, ++underWay);
      await new Promise((done) => setTimeout(done, 5));
      underWay--;
      return held(batches);
    });
    const all = Promise.all(
      Array.from({ length: 50 }, async (_, item) => {
        await new Promise((done) => setTimeout(done, item % 7));
        return queue.add(fence, 'p', item, item % 3 === 0);
      }),
    );
    expect(new Set(await all)).toEqual(new Set([true]));
    expect(most).toBe(1);
    expect(flushes.flat().sort((one, other) => one - other)).toEqual(Array.from({ length: 50 }, (_, item) => item));
  });

  it('drains the queue on request', async () => {
    const { flushes, queue } = recording(held, 2_000_000);
    const added = [1, 2].map((item) => queue.add(fence, 'p', item, false));
    await queue.drain();
    expect([flushes, queue.length]).toEqual([[[1, 2]], 0]);
    expect(await Promise.all(added)).toEqual([true, true]);
  });

  it('refuses observations of an older epoch of the same lease', async () => {
    const { flushes, queue } = recording(held);
    const old = queue.add({ name: 'eu-1', epoch: 1 }, 'p', 1, false);
    const now = queue.add(fence, 'p', 2, false);
    await Promise.all([queue.drain(), now]);
    expect(flushes).toEqual([[2]]);
    expect(await old).toBe(false);
  });
});
