import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RE2JS } from 're2js';
import { compileCost, expandedSize, foldedLetters } from './patterns.ts';

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

describe('foldedLetters', () => {
  const everything = 0x1e943 - 0x41 + 1;
  it.each([
    ['[B-\u{1E000}]', 0],
    ['(?i)a-z', 26],
    ['(?i)[a-z0-9_-]', 26],
    ['(?i)[B-\u{1E000}][B-\u{1E000}]', 2 * (0x1e000 - 0x42 + 1)],
    ['(?i:[B-\\x{1E000}])', 0x1e000 - 0x42 + 1],
    ['a(?sUi)[\\x42-\\x{1E000}]', 0x1e000 - 0x41 + 1],
    ['(?i)[\\102-\\x{1E000}]', 0x1e000 - 0x41 + 1],
    ['(?i)[^\\x{0}-\\x{10FFFF}]', everything],
    ['(?i)[\\A-\u{10FFFF}]', everything],
  ])('of %s is %d', (source, letters) => {
    expect(foldedLetters(source)).toBe(letters);
  });
});

it('compileCost is high for whatever takes long to compile, and low for what people write', () => {
  const slow = ['(?i)[B-\u{1E000}]', '(?i)[\\x42-\\x{1e000}]', '\\pL', '[\\P{Greek}]', '(?:a{100}){9}', 'x'.repeat(300)];
  expect(slow.map((source) => [source, compileCost(source) > 500])).toEqual(slow.map((source) => [source, true]));
  const simple = [
    '(?i)error|warning',
    'Version: [0-9]+\\.[0-9.]+',
    '(?i)[a-z]+ items',
    '\\b\\d{1,3} (?:in stock|auf Lager)\\b',
    '^[^<>]*ärgerlich',
  ];
  expect(simple.map((source) => [source, compileCost(source) < 200])).toEqual(simple.map((source) => [source, true]));
});
