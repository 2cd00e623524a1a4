import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { diffLines, unifiedDiff } from './unified-diff.ts';

const diff = (before: string, after: string): string => unifiedDiff({ name: 'before', text: before }, { name: 'after', text: after });

/** The second text, made of the first and the changes. */
function patched(a: readonly string[], b: readonly string[]): readonly string[] {
  const result: string[] = [];
  let at = 0;
  for (const { aFrom, aTo, bFrom, bTo } of diffLines(a, b)) {
    result.push(...a.slice(at, aFrom), ...b.slice(bFrom, bTo));
    at = aTo;
  }
  return [...result, ...a.slice(at)];
}

describe('a unified diff', () => {
  it('shows what changed with three lines around it', () => {
    const lines = Array.from({ length: 20 }, (_, nth) => `line ${String(nth)}`);
    const after = lines.toSpliced(9, 1, 'another', 'and one more').toSpliced(0, 1);
    expect(diff(lines.join('\n'), after.join('\n'))).toBe(
      [
        ...['--- before', '+++ after', '@@ -1,4 +1,3 @@', '-line 0', ' line 1', ' line 2', ' line 3', '@@ -7,7 +6,8 @@'],
        ...[' line 6', ' line 7', ' line 8', '-line 9', '+another', '+and one more', ' line 10', ' line 11', ' line 12', ''],
      ].join('\n'),
    );
  });

  it('is empty for the same text, and names the line before an insertion', () => {
    expect(diff('a\nb', 'a\nb')).toBe('');
    expect(diff('', 'a')).toContain('@@ -1,1 +1,1 @@\n-\n+a\n');
  });

  it('shows what changed within a long line of markup', () => {
    const page = (price: string): string => `<p>${'x'.repeat(2_000)}</p><b>Price</b><i>${price}</i><u>end</u>`;
    expect(diff(page('19.90'), page('0.00'))).toMatch(/^-<i>19.90$\n^\+<i>0.00$/m);
  });

  it('turns the one text into the other, whatever the two are', () => {
    const texts = fc.array(fc.constantFrom('a', 'b', 'c', 'd', ''), { maxLength: 40 });
    fc.assert(fc.property(texts, texts, (a, b) => expect(patched(a, b)).toEqual(b)));
  });

  it('is bounded for hostile pages', () => {
    expect(diff('\n'.repeat(300_000), 'x')).toContain('more than 200000 lines');
    const noise = (seed: number): string => Array.from({ length: 100_000 }, (_, nth) => String((nth * seed) % 7)).join('\n');
    const output = diff(noise(3), noise(5));
    expect(output.length).toBeLessThan(2.1 * 1024 * 1024);
  });
});
