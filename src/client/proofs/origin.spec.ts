import { describe, expect, it } from '@jest/globals';
import { generationOf, originAt } from './origin.ts';

describe('the origins of a log', () => {
  it('are its name, then the name with a number', () => {
    expect([0, 1, 2, 9].map((generation) => originAt('shop.example/api/ledger', generation))).toEqual([
      'shop.example/api/ledger',
      'shop.example/api/ledger/2',
      'shop.example/api/ledger/3',
      'shop.example/api/ledger/10',
    ]);
    for (const generation of [0, 1, 8, 9, 99, 123_456]) expect(generationOf('a/log', originAt('a/log', generation))).toBe(generation);
  });

  it.each([
    'a/log/1',
    'a/log/0',
    'a/log/02',
    'a/log/',
    'a/log/2/',
    'a/log/2/3',
    'a/log/x',
    'a/log2',
    'b/log',
    '',
    'a/log/1e3',
    'a/log/9999999999',
  ])('do not include %j', (origin) => {
    expect(generationOf('a/log', origin)).toBeNull();
  });
});
