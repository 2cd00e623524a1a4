import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

interface Files {
  readonly root: string;
  slice(index: number, count: number): readonly string[];
  beyondDaily(): readonly string[];
}

const { slice, beyondDaily } = (await import(new URL('../.ci/jest/files.mjs', import.meta.url).href)) as Files;

describe('the slices of what runs before a release', () => {
  const slices = Array.from({ length: 10 }, (_, index) => slice(index, 10));

  it('have each file in exactly one of ten', () => {
    expect(slices.flat().toSorted()).toEqual(beyondDaily().toSorted());
    expect(new Set(slices.flat()).size).toBe(slices.flat().length);
  });

  it('have a file each, and no end of turns', () => {
    expect(slices.filter(({ length }) => length === 0)).toEqual([]);
    expect(slice(13, 10)).toEqual(slices[3]);
  });

  it('hold every release file, and files that do more before a release', () => {
    const [release, longer] = [true, false].map((is) => beyondDaily().filter((path) => path.endsWith('.release-spec.ts') === is));
    expect(release?.length).toBeGreaterThan(5);
    expect(longer?.filter((path) => !/\bthorough[(<]|\bisRelease\b|console-page/.test(readFileSync(path, 'utf8')))).toEqual([]);
  });
});
