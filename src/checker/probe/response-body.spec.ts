import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { BodyBuffer } from './response-body.ts';

const sizes = fc.array(fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 9_000 }), fc.constant(70_000)), {
  maxLength: 300,
  size: 'max',
});

it('returns the appended bytes, whatever the chunk sizes', () => {
  fc.assert(
    fc.property(sizes, (all) => {
      const buffer = new BodyBuffer();
      const added = all.map((size, nth) => Buffer.alloc(size, nth));
      for (const one of added) buffer.append(one);
      expect(buffer.length).toBe(added.reduce((sum, one) => sum + one.length, 0));
      expect(buffer.bytes().equals(Buffer.concat(added))).toBe(true);
    }),
  );
});
