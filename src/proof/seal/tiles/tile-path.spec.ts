import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { widthIn } from '../../../client/proofs/tile.ts';
import { edgeOf } from '../../../client/proofs/tile-writer.ts';
import { entryBundle, formatTilePath, parseTilePath } from './tile-path.ts';

describe('tile paths', () => {
  it('format the index as the specification shows', () => {
    expect(formatTilePath({ kind: 'hashes', tile: { level: 0, index: 1234067 }, width: 256 })).toBe('0/x001/x234/067');
    expect(formatTilePath({ kind: 'entries', index: 1234067, width: 8 })).toBe('entries/x001/x234/067.p/8');
    expect(formatTilePath({ kind: 'hashes', tile: { level: 2, index: 0 }, width: 1 })).toBe('2/000.p/1');
  });

  it('round-trip', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.integer({ min: 1, max: 256 }), fc.integer({ min: 0, max: 63 }), (index, width, level) => {
        for (const request of [{ kind: 'hashes', tile: { level, index }, width } as const, { kind: 'entries', index, width } as const]) {
          expect(parseTilePath(formatTilePath(request))).toEqual(request);
        }
      }),
    );
  });

  it.each([
    '',
    '0',
    '0/',
    '0/1',
    '0/0000',
    '0/001.p/0',
    '0/001.p/256',
    '0/001.p/01',
    '00/001',
    '64/001',
    '-1/001',
    '0/x000/001',
    '0/x001',
    '0/001/002',
    '0/001.p',
    'entries/1',
    '0/001/',
    '0/../001',
    '0/%30%30%31',
    '0/x999/x999/x999/x999/x999/x999/999',
  ])('refuse "%s"', (path) => {
    expect(parseTilePath(path)).toBeNull();
  });
});

it('computes the tiles of a tree of 70,000 leaves as in the specification', () => {
  expect(edgeOf(70_000).map((tile) => [tile.index, widthIn(70_000, tile)])).toEqual([
    [273, 112],
    [1, 17],
    [0, 1],
  ]);
  expect(widthIn(70_000, { level: 0, index: 272 })).toBe(256);
  expect(widthIn(70_000, { level: 1, index: 0 })).toBe(256);
  expect(widthIn(70_000, { level: 0, index: 274 })).toBe(0);
});

it('prefixes each entry with its length', () => {
  expect(entryBundle(['ab', '', 'é']).toString('hex')).toBe('00026162' + '0000' + '0002c3a9');
  expect(() => entryBundle(['x'.repeat(65_536)])).toThrow(RangeError);
});
