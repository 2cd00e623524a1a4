import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isMaskedFormOf } from './evidence-statement.ts';

describe('a masked text', () => {
  it.each([
    ['found "you sent ********"', 'found "you sent tok-4711"', true],
    ['found "(hidden) and ********."', 'found "one and two."', true],
    ['found "(hidden)"', 'found "(hidden)"', true],
    ['found "you got ********"', 'found "you sent tok-4711"', false],
    ['found "you sent ********!', 'found "you sent tok-4711"', false],
    ['found "you sent ********"', 'found "you sent "', false],
    ['found "you sent"', 'found "you sent tok-4711"', false],
    ['it passes', 'found "a"', false],
  ])('%s stands for %s: %s', (masked, text, stands) => {
    expect(isMaskedFormOf(masked, text)).toBe(stands);
  });

  it('stands for the text that it was made of, and for none with another character outside of the masks', () => {
    const part = fc.string({ unit: fc.constantFrom('a', 'b', ' '), maxLength: 6 });
    const secret = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(part, fc.array(fc.tuple(secret, part), { maxLength: 3 }), (first, more) => {
        const masked = `${first}${more.map(([, text]) => `********${text}`).join('')}`;
        const text = `${first}${more.map(([hidden, shown]) => hidden + shown).join('')}`;
        expect(isMaskedFormOf(masked, text)).toBe(true);
        expect(isMaskedFormOf(`${masked}c`, text)).toBe(false);
        expect(isMaskedFormOf(`c${masked}`, text)).toBe(false);
      }),
    );
  });
});
