import { expect, it } from '@jest/globals';
import { LargeBodies } from './large-bodies.ts';

it('lets some wait for a seat and turns the others away at once', async () => {
  const large = new LargeBodies({ seats: 1, longest: 2 });
  const release = await large.take(() => true);
  const waiting = [large.take(() => false), large.take(() => true)];
  expect(await large.take(() => true)).toBeNull();
  expect([large.queued, large.putOff]).toEqual([2, 1]);
  release?.();
  // The first no longer wants it, and passes it on.
  await Promise.all(waiting);
  expect(large.queued).toBe(0);
});
