import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { gramsIn, gramsOf } from './grams.ts';

describe('n-grams', () => {
  it('of a text include those of every part of it', () => {
    const text = fc.string({ unit: 'binary', maxLength: 40 });
    fc.assert(
      fc.property(text, fc.nat(40), fc.nat(40), (whole, from, length) => {
        const known = new Set(gramsOf(whole));
        expect(gramsIn(whole.slice(from, from + length)).filter((gram) => !known.has(gram))).toEqual([]);
      }),
    );
  });

  it('tell texts apart that share no part, or all but one', () => {
    const known = new Set(gramsOf('shop 12\u0001https://a.example'));
    for (const missing of ['q', 'sq', 'shop 13', 'example.exa', 'nothing'])
      expect(gramsIn(missing).every((gram) => known.has(gram))).toBe(false);
    expect(gramsIn('')).toEqual([]);
  });

  it('are 32-bit integers, each once', () => {
    const grams = gramsOf('aaaaaa http://example.com/ä😀');
    expect(new Set(grams).size).toBe(grams.length);
    for (const gram of grams) expect(gram).toBe(gram | 0);
  });
});
