import { describe, expect, it } from '@jest/globals';
import { BatchedLookup } from './batched-lookup.ts';

const recorded = (): { readonly queries: (readonly string[])[]; readonly lookup: BatchedLookup<string> } => {
  const queries: (readonly string[])[] = [];
  const lookup = new BatchedLookup<string>((keys) => {
    queries.push(keys);
    if (keys.includes('broken')) return Promise.reject(new Error('unavailable'));
    return Promise.resolve(new Map(keys.filter((key) => key !== 'missing').map((key) => [key, key.toUpperCase()])));
  });
  return { queries, lookup };
};

describe('BatchedLookup', () => {
  it('coalesces the lookups of one tick into one query, each key once', async () => {
    const { queries, lookup } = recorded();
    const answers = await Promise.all(['a', 'b', 'a', 'missing'].map((key) => lookup.load(key)));
    expect(answers).toEqual(['A', 'B', 'A', undefined]);
    expect(queries).toEqual([['a', 'b', 'missing']]);
  });

  it('starts a new query for lookups of a later tick', async () => {
    const { queries, lookup } = recorded();
    const first = lookup.load('a');
    await new Promise((done) => setImmediate(done));
    const second = lookup.load('a');
    expect(await Promise.all([first, second])).toEqual(['A', 'A']);
    expect(queries).toEqual([['a'], ['a']]);
  });

  it('rejects every lookup of a failed query, and no later one', async () => {
    const { lookup } = recorded();
    const answers = await Promise.allSettled([lookup.load('a'), lookup.load('broken')]);
    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await lookup.load('a')).toBe('A');
  });
});
