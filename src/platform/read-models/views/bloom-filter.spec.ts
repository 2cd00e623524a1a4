import { expect, it } from '@jest/globals';
import { BloomFilter } from './fill-memory.ts';

const COUNT = 200_000;
const SAMPLE = 40_000;
const keyOf = (n: number): string => `project-${n.toString(16).padStart(24, '0')}`;

it('has no false negatives and few false positives', () => {
  const filter = new BloomFilter();
  for (let n = 0; n < COUNT; n++) filter.add(keyOf(n));
  let known = 0;
  let falsePositives = 0;
  for (let n = 0; n < SAMPLE; n++) {
    if (filter.mayHave(keyOf(n * (COUNT / SAMPLE)))) known++;
    if (filter.mayHave(keyOf(n + COUNT))) falsePositives++;
  }
  expect(known).toBe(SAMPLE);
  expect(falsePositives).toBeLessThan(SAMPLE / 2_000);
});

it('has no key at first, or every key when created for a partly filled table', () => {
  expect(new BloomFilter().mayHave('a')).toBe(false);
  expect(new BloomFilter(true).mayHave('a')).toBe(true);
});
