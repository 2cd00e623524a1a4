import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { EMPTY_ROOT, leafHash, nodeHash, verifyConsistency, verifyInclusion } from './merkle-tree.ts';
import { TileTree } from './tile-tree.ts';
import { tileKey } from './tile.ts';
import { TileWriter } from './tile-writer.ts';

const hex = (text: string): Buffer => Buffer.from(text, 'hex');

/** The reference tree of the Certificate Transparency tests: eight leaves, and the root after each. */
const LEAVES = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'].map(hex);
const ROOTS = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
].map(hex);

const INCLUSION: readonly (readonly [index: number, size: number, path: readonly string[]])[] = [
  [0, 1, []],
  [
    0,
    8,
    [
      '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
    ],
  ],
  [
    5,
    8,
    [
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ],
  ],
  [2, 3, ['fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125']],
  [
    1,
    5,
    [
      '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
    ],
  ],
];

const CONSISTENCY: readonly (readonly [first: number, size: number, path: readonly string[]])[] = [
  [1, 1, []],
  [
    1,
    8,
    [
      '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
    ],
  ],
  [
    6,
    8,
    [
      '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ],
  ],
  [
    2,
    5,
    [
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
    ],
  ],
];

/** RFC 6962, section 2.1, literally: slow, the reference for the other implementations. */
function rootByDefinition(leaves: readonly Buffer[]): Buffer {
  const [first] = leaves;
  if (first === undefined) return EMPTY_ROOT;
  if (leaves.length === 1) return leafHash(first);
  let split = 1;
  while (split * 2 < leaves.length) split *= 2;
  return nodeHash(rootByDefinition(leaves.slice(0, split)), rootByDefinition(leaves.slice(split)));
}

/** A tree with its tiles in memory. */
function grow(leaves: readonly Buffer[]): { readonly writer: TileWriter; readonly tree: TileTree } {
  const writer = new TileWriter();
  for (const leaf of leaves) writer.append(leafHash(leaf));
  const stored = new Map(writer.takeChanged().map((tile) => [tileKey(tile), tile.bytes]));
  return { writer, tree: new TileTree((ids) => Promise.resolve(ids.map((id) => stored.get(tileKey(id)) ?? Buffer.alloc(0)))) };
}

const manyLeaves = (count: number): readonly Buffer[] => Array.from({ length: count }, (_, at) => Buffer.from(`leaf ${String(at)}`));
const at = <T>(list: readonly T[], index: number): T => {
  const item = list[index];
  if (item === undefined) throw new RangeError(String(index));
  return item;
};

describe('the reference tree of RFC 6962', () => {
  it('has the root of an empty tree', () => {
    expect(EMPTY_ROOT).toEqual(hex('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'));
  });

  it('has the published root after each leaf', () => {
    ROOTS.forEach((root, index) => {
      expect(grow(LEAVES.slice(0, index + 1)).writer.root()).toEqual(root);
    });
  });

  it.each(INCLUSION)('proves leaf %i in the tree of %i as published', async (index, size, path) => {
    expect(await grow(LEAVES).tree.inclusion(index, size)).toEqual(path.map(hex));
    expect(verifyInclusion(leafHash(at(LEAVES, index)), index, size, path.map(hex), at(ROOTS, size - 1))).toBe(true);
  });

  it.each(CONSISTENCY)('proves the consistency of sizes %i and %i as published', async (first, size, path) => {
    expect(await grow(LEAVES).tree.consistency(first, size)).toEqual(path.map(hex));
    const [older, newer] = [first, size].map((each) => ({ size: each, root: at(ROOTS, each - 1) }));
    expect(older && newer && verifyConsistency(older, newer, path.map(hex))).toBe(true);
  });
});

describe('any tree', () => {
  const leaves = manyLeaves(70_000);
  const { writer, tree } = grow(leaves);
  const size = fc.integer({ min: 1, max: leaves.length });

  it('has the root of the definition', () => {
    expect(writer.root()).toEqual(rootByDefinition(leaves));
  });

  it('has the root of the definition at every size', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 3000 }), async (count) => {
        expect(await tree.root(count)).toEqual(rootByDefinition(leaves.slice(0, count)));
      }),
      { numRuns: 25 },
    );
  });

  it('proves every leaf, and no other with the same path', async () => {
    await fc.assert(
      fc.asyncProperty(size, fc.nat(), fc.nat(), async (count, pick, other) => {
        const index = pick % count;
        const [path, root] = [await tree.inclusion(index, count), await tree.root(count)];
        const leaf = leafHash(at(leaves, index));
        expect(verifyInclusion(leaf, index, count, path, root)).toBe(true);
        const elsewhere = other % count;
        if (elsewhere !== index) expect(verifyInclusion(leaf, elsewhere, count, path, root)).toBe(false);
        for (const outside of [index - count, count, count + index]) expect(verifyInclusion(leaf, outside, count, path, root)).toBe(false);
        expect(verifyInclusion(leafHash('another leaf'), index, count, path, root)).toBe(false);
        expect(verifyInclusion(leaf, index, count, [...path, leaf], root)).toBe(false);
        if (path.length > 0) expect(verifyInclusion(leaf, index, count, path.slice(0, -1), root)).toBe(false);
      }),
    );
  });

  it('proves consistency, but never of a fork', async () => {
    await fc.assert(
      fc.asyncProperty(size, fc.nat(), async (count, pick) => {
        const first = { size: pick % (count + 1), root: await tree.root(pick % (count + 1)) };
        const second = { size: count, root: await tree.root(count) };
        const path = await tree.consistency(first.size, count);
        expect(verifyConsistency(first, second, path)).toBe(true);
        expect(verifyConsistency({ ...first, root: leafHash('fork') }, second, path)).toBe(false);
        expect(verifyConsistency(first, { ...second, root: leafHash('fork') }, path)).toBe(first.size === 0);
        if (first.size < count) expect(verifyConsistency(second, first, path)).toBe(false);
        if (path.length > 0) expect(verifyConsistency(first, second, path.slice(0, -1))).toBe(false);
      }),
    );
  });
});
