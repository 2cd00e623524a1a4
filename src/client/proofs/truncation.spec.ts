import { describe, expect, it } from '@jest/globals';
import { truncationIn } from './truncation.ts';

describe('the declaration of a loss', () => {
  const declared = (from: unknown, to: unknown) => truncationIn({ type: 'LogTruncated', data: { from, to, reason: 'restored' } });

  it.each([
    [1, 0],
    [1000, 0],
    [1000, 999],
    [Number.MAX_SAFE_INTEGER, 0],
  ])('speaks of a log of %d events of which %d are left', (from, to) => {
    expect(declared(from, to)).toEqual({ from, to });
  });

  it.each([
    [0, 0],
    [1000, 1000],
    [1000, 1001],
    [1000, -1],
    [-1, -2],
    [1000, 0.5],
    [1000.5, 0],
    [Number.MAX_SAFE_INTEGER + 1, 0],
    ['1000', 0],
    [1000, null],
    [1000, undefined],
  ])('is none from %p to %p', (from, to) => {
    expect(declared(from, to)).toBeNull();
  });

  it('is absent from an event of another type or without both sizes', () => {
    expect(truncationIn({ type: 'LogCut', data: { from: 2, to: 1 } })).toBeNull();
    expect(truncationIn({ type: 'LogTruncated', data: { from: 2 } })).toBeNull();
    expect(truncationIn({ type: 'LogTruncated', data: { to: 1 } })).toBeNull();
  });
});
