import { derivedId } from '../../src/kernel/ids.ts';

/** A small generator: the same seed makes the same world. */
export function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export const randomIdsOf = (random: () => number): (() => string) => {
  let count = 0;
  return () => derivedId('simulated', random(), count++);
};
