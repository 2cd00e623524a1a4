import { describe, expect, it } from '@jest/globals';
import { BatchedLists } from './batched-lookup.ts';
import { type AnsweringReplica, beginReading } from './read-replicas/current-replica.ts';

interface Asked {
  readonly keys: readonly string[];
  readonly since: number;
}

const recorded = (): { readonly queries: Asked[]; readonly lists: BatchedLists<{ readonly since: number }, string> } => {
  const queries: Asked[] = [];
  const lists = new BatchedLists<{ readonly since: number }, string>(
    (keys, { since }) => {
      queries.push({ keys, since });
      if (keys.includes('broken')) return Promise.reject(new Error('unavailable'));
      return Promise.resolve(
        keys.filter((key) => key !== 'empty').flatMap((key) => [`${key}${String(since)}`, `${key}${String(since + 1)}`]),
      );
    },
    (row) => row.slice(0, 1),
  );
  return { queries, lists };
};

describe('BatchedLists', () => {
  it('answers each key its rows in their order, from one query for equal parameters', async () => {
    const { queries, lists } = recorded();
    const asked = [
      lists.load('a', { since: 1 }),
      lists.load('b', { since: 1 }),
      lists.load('a', { since: 5 }),
      lists.load('empty', { since: 5 }),
    ];
    expect(await Promise.all(asked)).toEqual([['a1', 'a2'], ['b1', 'b2'], ['a5', 'a6'], []]);
    expect(queries).toEqual([
      { keys: ['a', 'b'], since: 1 },
      { keys: ['a', 'empty'], since: 5 },
    ]);
  });

  it('asks again on a later tick, and rejects the lookups of a failed query alone', async () => {
    const { queries, lists } = recorded();
    const failed = Promise.allSettled([lists.load('a', { since: 1 }), lists.load('broken', { since: 1 }), lists.load('a', { since: 2 })]);
    expect((await failed).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
    expect(await lists.load('a', { since: 1 })).toEqual(['a1', 'a2']);
    expect(queries).toHaveLength(3);
  });

  it('does not share a query between replicas, or with the primary', async () => {
    const { queries, lists } = recorded();
    const asked: Promise<readonly string[]>[] = [];
    const ask = (key: string) => (): unknown => asked.push(lists.load(key, { since: 1 }));
    for (const [name, key] of [
      ['one', 'a'],
      ['other', 'b'],
      ['one', 'c'],
    ] as const)
      beginReading({ name, isUsed: true } as unknown as AnsweringReplica, ask(key));
    ask('d')();
    expect(await Promise.all(asked)).toEqual(['a', 'b', 'c', 'd'].map((key) => [`${key}1`, `${key}2`]));
    expect(queries.map(({ keys }) => keys)).toEqual([['a', 'c'], ['b'], ['d']]);
  });
});
