import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { PersistentMap } from './persistent-map.ts';

const steps = fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 0, max: 99 })), { maxLength: 300, size: 'max' });

it('equals a Map in content and order, and never changes an earlier version', () => {
  fc.assert(
    fc.property(steps, (given) => {
      const model = new Map<string, number>();
      let map = PersistentMap.empty<number>();
      const before: (readonly [PersistentMap<number>, readonly (readonly [string, number])[]])[] = [];
      given.forEach(([put, number], index) => {
        const key = `key ${String(number)}`;
        if (put) model.set(key, index);
        else model.delete(key);
        map = put ? map.with(key, index) : map.without(key);
        expect([map.size, map.has(key), map.get(key)]).toEqual([model.size, model.has(key), model.get(key)]);
        if (index % 20 === 0) before.push([map, [...model]]);
      });
      expect([...map]).toEqual([...model]);
      expect([[...map.keys()], [...map.values()]]).toEqual([[...model.keys()], [...model.values()]]);
      for (const [earlier, held] of before) expect([...earlier]).toEqual(held);
    }),
    { numRuns: 30 },
  );
});
