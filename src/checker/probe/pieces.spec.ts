import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Pieces } from './pieces.ts';

const sizes = fc.array(fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 9_000 }), fc.constant(70_000)), {
  maxLength: 300,
  size: 'max',
});

it('gives back what was added, whatever the sizes of its pieces', () => {
  fc.assert(
    fc.property(sizes, (all) => {
      const pieces = new Pieces();
      const added = all.map((size, nth) => Buffer.alloc(size, nth));
      for (const one of added) pieces.add(one);
      expect(pieces.length).toBe(added.reduce((sum, one) => sum + one.length, 0));
      expect(pieces.bytes().equals(Buffer.concat(added))).toBe(true);
    }),
  );
});
