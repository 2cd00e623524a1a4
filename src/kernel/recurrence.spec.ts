import { expect, it } from '@jest/globals';
import { derivedObjectId } from './ids.ts';
import { phaseOf } from './recurrence.ts';

it('spreads keys evenly over the period', () => {
  const slots = new Array<number>(60).fill(0);
  const secret = Buffer.alloc(32);
  for (let index = 0; index < 6_000; index++) {
    const slot = Math.floor(phaseOf(derivedObjectId(secret, 'k', index), 60_000) / 1_000);
    slots[slot] = (slots[slot] ?? 0) + 1;
  }
  expect(Math.max(...slots)).toBeLessThan(160);
  expect(Math.min(...slots)).toBeGreaterThan(50);
});
