import { describe, expect, it } from '@jest/globals';
import { defineView, scopeId } from '../authoring/define-view.ts';
import { RowCache } from './row-cache.ts';

const view = defineView<{ readonly title: string }>()({
  name: 'titles',
  version: 1,
  scope: 'project',
  key: scopeId,
  on: { ProjectRenamed: (_, { data }) => ({ title: data.to }) },
});
const row = (key: string) => ({ key, scope: 'project-a', n: 0, row: { title: key }, parked: false });

describe('RowCache', () => {
  it('evicts the least recently used rows by size, not by number', () => {
    const cache = new RowCache(10_000);
    for (const key of ['a', 'b', 'c']) cache.set(view, row(key), 2_000);
    expect(cache.get(view, 'a')).toEqual(row('a'));
    cache.set(view, row('large'), 6_000);
    expect(['a', 'b', 'c', 'large'].filter((key) => cache.get(view, key) !== undefined)).toEqual(['a', 'large']);
  });

  it('does not keep a row larger than its capacity', () => {
    const cache = new RowCache(10_000);
    cache.set(view, row('a'), 20_000);
    expect(cache.size).toBe(0);
    cache.set(view, row('b'), 1_000);
    expect(cache.get(view, 'b')).toEqual(row('b'));
  });

  it('counts a row once, however often it is set', () => {
    const cache = new RowCache(10_000);
    for (let count = 0; count < 100; count++) cache.set(view, row('a'), 4_000);
    cache.set(view, row('b'), 4_000);
    expect(cache.size).toBe(2);
    cache.clear();
    for (const key of ['c', 'd']) cache.set(view, row(key), 4_000);
    expect(cache.size).toBe(2);
  });
});
