import { describe, expect, it } from '@jest/globals';
import { mergePatch, removes, withInitial } from './merge-patch.ts';

describe('a merge patch', () => {
  // RFC 7396, appendix A.
  it.each([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['c', 'd'],
    ],
    [{ a: 'b' }, ['c'], ['c']],
    [{ a: 'foo' }, null, null],
    [{ a: 'foo' }, 'bar', 'bar'],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])('of %j with %j is %j', (target, patch, merged) => {
    expect(mergePatch(target, patch)).toEqual(merged);
  });

  it('without a body changes nothing', () => {
    expect(mergePatch({ a: 1 }, undefined)).toEqual({ a: 1 });
    expect(withInitial(undefined, { a: 1 })).toEqual({});
  });
});

describe('a patch as a partial change', () => {
  const initial = { title: 'Initial', options: { w: '', g: false }, rules: [] };

  it('has the initial value of what it removes, at every level, and nothing else', () => {
    expect(withInitial({ title: null, url: 'x' }, initial)).toEqual({ title: 'Initial', url: 'x' });
    expect(withInitial({ options: { w: null, l: true }, rules: null }, initial)).toEqual({ options: { w: '', l: true }, rules: [] });
    expect(withInitial({ options: null }, initial)).toEqual({ options: { w: '', g: false } });
  });

  it('keeps null for what has no initial value, and is no object where the patch is none', () => {
    expect(withInitial({ url: null, options: { x: null }, toString: null }, initial)).toEqual({
      url: null,
      options: { x: null },
      toString: null,
    });
    for (const patch of [null, [], 'text', 7]) expect(withInitial(patch, initial)).toEqual(patch);
    expect(withInitial({ options: 'text' }, initial)).toEqual({ options: 'text' });
  });

  it('knows whether it removes', () => {
    expect([{ a: null }, { a: 1 }, {}, null, []].map(removes)).toEqual([true, false, false, false, false]);
  });
});
