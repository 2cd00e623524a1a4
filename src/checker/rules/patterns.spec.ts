import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RE2JS } from 're2js';
import { compilePattern, expandedSize } from './patterns.ts';

describe('expandedSize', () => {
  it.each([
    ['abc', 3],
    ['a{3}', 3],
    ['a{3,}', 6],
    ['a{0,3}', 6],
    ['(?:ab){10,20}', 140],
    ['[a{9}]', 1],
    ['[]{9}]', 1],
    ['[[:alpha:]{9}]', 1],
    ['\\Q{9}{9}\\E', 10],
    ['\\x{10000}\\pN', 3],
    ['a\\{9}', 4],
    ['x{1000}{1000}', 1_000_000],
    ['((a{100}){100}){100}', 1_020_200],
    ['a{', 2],
    [')(', 2],
  ])('of %s is %d', (source, size) => {
    expect(expandedSize(source)).toBe(size);
  });

  it('bounds the size of the compiled program', () => {
    const atom = fc.constantFrom('a', '.', '\\d', '[a-z]', '\\x{41}', '(?:ab|c)', '(x)', '\\Qa{3}\\E', '^', '\\b');
    const times = fc.constantFrom('', '*', '+?', '?', '{3}', '{2,}', '{0,7}', '{5,9}?');
    const part = fc.tuple(atom, times).map((both) => both.join(''));
    const group = fc.tuple(fc.array(part, { maxLength: 4 }), times).map(([parts, count]) => `(${parts.join('')})${count}`);
    fc.assert(
      fc.property(fc.array(fc.oneof(part, group), { maxLength: 8 }), (parts) => {
        const source = parts.join('');
        expect(RE2JS.compile(source).programSize()).toBeLessThanOrEqual(2 * expandedSize(source) + 8);
      }),
    );
  });
});

describe('compilePattern', () => {
  it('refuses patterns that expand to more than 10000 instructions', () => {
    const heavy = ['x{1000}'.repeat(146), '\\p{L}{1000}'.repeat(90), '(?:a{0,30}){0,30}'.repeat(50), '(((a{10}){10}){10}){10}'];
    expect(heavy.map(compilePattern)).toEqual(heavy.map(() => ({ ok: false, reason: 'its repetitions expand to more than 10000 steps' })));
    expect(compilePattern('(?:[\\s\\S]{0,300}error){1,3}').ok).toBe(true);
  });
});
