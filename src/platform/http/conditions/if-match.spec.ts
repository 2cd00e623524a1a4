import { describe, expect, it } from '@jest/globals';
import { InvalidInput } from '../../../kernel/errors.ts';
import { readIfMatch } from './if-match.ts';

const ONE = 'abcdefghijklmnopqrstuv';
const OTHER = 'ABCDEFGHIJ_LMNOPQRST-V';

describe('If-Match', () => {
  it.each([
    [`"${ONE}"`, [ONE]],
    [`"${ONE}.hash-of-the-body"`, [ONE]],
    [`"${ONE}.x" , "${OTHER}"`, [ONE, OTHER]],
    [`,\t"${ONE}",,`, [ONE]],
    ['"a,b"', []],
    [`"a,b", "${ONE}"`, [ONE]],
    [`W/"${ONE}"`, []],
    [`W/"${ONE}", "${OTHER}"`, [OTHER]],
    // From before tags named settings, of a list, empty.
    ['"abcdefghijklmnopqrstuvwxyz1"', []],
    ['""', []],
  ])('of %s names the settings %j', (header, tags) => {
    expect(readIfMatch(header)).toEqual(tags);
  });

  it.each(['*', ' * '])('%j is met by whatever exists', (header) => {
    expect(readIfMatch(header)).toBeNull();
  });

  it.each(['', ',', 'x', ONE, `"${ONE}`, `w/"${ONE}"`, `"${ONE}" "${OTHER}"`, `"${ONE}",*`, '"a"b"', '"a b"', '"ü€"'])(
    '%j is refused',
    (header) => {
      expect(() => readIfMatch(header)).toThrow(InvalidInput);
    },
  );

  it('is read in time that grows with its length', () => {
    const header = `${'W/"x",\t'.repeat(2_000)}"`;
    const began = process.cpuUsage().user;
    expect(() => readIfMatch(header)).toThrow(InvalidInput);
    expect(process.cpuUsage().user - began).toBeLessThan(100_000);
  });
});
