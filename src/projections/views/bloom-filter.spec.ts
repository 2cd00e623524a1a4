import { expect, it } from '@jest/globals';
import { BloomFilter } from './bloom-filter.ts';

const COUNT = 200_000;
const SAMPLE = 40_000;
const keyOf = (n: number): string => `project-${n.toString(16).padStart(24, '0')}`;

it('never takes a known key for a strange one, and seldom a strange one for known', () => {
  const filter = new BloomFilter();
  for (let n = 0; n < COUNT; n++) filter.add(keyOf(n));
  let known = 0;
  let mistaken = 0;
  for (let n = 0; n < SAMPLE; n++) {
    if (filter.mayHave(keyOf(n * (COUNT / SAMPLE)))) known++;
    if (filter.mayHave(keyOf(n + COUNT))) mistaken++;
  }
  expect(known).toBe(SAMPLE);
  expect(mistaken).toBeLessThan(SAMPLE / 2_000);
});

it('knows nothing at first, and everything when it has to be careful', () => {
  expect(new BloomFilter().mayHave('a')).toBe(false);
  expect(new BloomFilter(true).mayHave('a')).toBe(true);
});
