import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseFragment } from 'parse5';
import { nestedPage, nestedTree } from '../../../test/support/nested-pages.ts';
import { locateRules } from './locate-rules.ts';
import { standardTree, wellNestedTree } from './xpath-places.ts';

/** The bytes that each XPath is located at, as text of the charset. */
function located(body: Buffer, xpaths: readonly string[], charset = 'utf-8'): readonly (string | null)[] {
  const answer = { url: 'https://site.test/', httpVersion: '1.1', status: 200, statusText: '', redirectedBy: null, cut: false };
  const headers = [['Content-Type', `text/html; charset=${charset}`]] as const;
  const rules = xpaths.map((val) => ({ type: 'html', op: 'xpath', val }) as const);
  const ranges = locateRules({ type: 'simple', defaultErrors: false, rules, answer: { ...answer, headers, body } });
  return ranges.map((range) => range && new TextDecoder(charset).decode(body.subarray(range.from, range.to)));
}

describe('the bytes of an XPath', () => {
  const page =
    '<!doctype html>\r\n<!-- first --><title>Größe</title>\r\n<table><tr><td CLASS=price>19&euro;</table><svg viewBox="0 0 1 1"></svg><p>a<p>b</p>';

  it.each([
    ['//td', '<td CLASS=price>19&euro;'],
    ['//td/text()', '19&euro;'],
    ['//td/@class', 'CLASS=price'],
    ['//svg/@viewBox', 'viewBox="0 0 1 1"'],
    ['//tbody', '<tr><td CLASS=price>19&euro;'],
    ['//comment()', '<!-- first -->'],
    ['//p[2] | //title', '<title>Größe</title>'],
    ['count(//p) = 2', '<p>a'],
    ['contains(string(//title), "Größe")', '<title>Größe</title>'],
  ])('are those of the first node that %s selects', (xpath, source) => {
    expect(located(Buffer.from(page), [xpath])).toEqual([source]);
  });

  it.each([
    ['//td = "20€"', '<td CLASS=price>19&euro;'],
    ['//td/b/i', '<td CLASS=price>19&euro;'],
    ['count(//p) > 3', '<p>a'],
    ['//td[b = "x] / y"] and //p', '<td CLASS=price>19&euro;'],
    ['not(//title)', '<title>Größe</title>'],
  ])('are those of the node that %s was compared with, or of the last one on its path', (xpath, source) => {
    expect(located(Buffer.from(page), [xpath])).toEqual([source]);
  });

  it('are null where it holds because it selects nothing, and where it reads no node', () => {
    expect(located(Buffer.from(page), ['not(//form)', '1 = 1', '//form', 'count(//i) = 0'])).toEqual([null, null, null, null]);
  });

  it('are counted in the charset of the page', () => {
    const encoded = { 'utf-8': 'utf8', 'utf-16le': 'utf16le', 'windows-1252': 'latin1' } as const;
    for (const [charset, encoding] of Object.entries(encoded))
      expect(located(Buffer.from(page, encoding), ['//title', '//p[2]/text()'], charset)).toEqual(['<title>Größe</title>', 'b']);
  });

  it('are those of its content for an element that is moved out of a table', () => {
    expect(located(Buffer.from('<table><tr><b>x</b><td>y</table>'), ['//b', '//td'])).toEqual(['<b>x</b>', '<td>y']);
  });
});

it('finds the text and the source of an element again, whatever stands around it', () => {
  const parts = [
    'x',
    '\r\n',
    '&amp;',
    '€',
    '𝄞',
    '<b>',
    '</b>',
    '<p>',
    '</div>',
    '<li>',
    '<!-- a -->',
    '<br>',
    '<i id=n>',
    '<style>a{}</style>',
  ];
  const around = fc.array(fc.constantFrom(...parts), { maxLength: 12 });
  const own = fc.array(fc.constantFrom('n', ' ', '&lt;', '&#x41;', 'ü', '&nbsp;', '\n', '𝄞'), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(around, own, around, (before, content, after) => {
      const source = `<u class=needle>${content.join('')}</u>`;
      const [text, element] = located(Buffer.from(`${before.join('')}${source}${after.join('')}`), ['//u/text()', '//u']);
      expect(element).toBe(source);
      expect(parseFragment(text ?? '')).toEqual(parseFragment(content.join('')));
    }),
  );
});

/** Positions of all elements, their attributes and their children, as far as there may be any. */
const positions = Array.from({ length: 30 }, (_, element) => [
  { element },
  ...[0, 1, 2].map((attribute) => ({ element, attribute })),
  ...[0, 1, 2, 3, 4, 5, 6].map((child) => ({ element, child })),
]).flat();

/** The parser of the standard drops this line end, and then places a text that begins with `<` one character late. */
const PLACED_LATE = /<textarea[^>]*>\r?\n</i;

it('finds each node of a well-nested page where the parser of the standard finds it', () => {
  let [compared, found] = [0, 0];
  fc.assert(
    fc.property(nestedTree, fc.boolean(), fc.constantFrom('', '<!-- after -->\r\n', 'x'), (body, isWhole, end) => {
      const html = `${isWhole ? nestedPage(body) : nestedPage(body).slice(0, -8)}${end}`;
      const [quick, standard] = [wellNestedTree(html), standardTree(html)];
      if (quick === null || PLACED_LATE.test(html)) return;
      compared++;
      const places = positions.map((position) => quick.placeOf(position));
      found += places.filter((place) => place !== null).length;
      expect({ html, places }).toEqual({ html, places: positions.map((position) => standard?.placeOf(position) ?? null) });
    }),
    { numRuns: Number(process.env['RUNS'] ?? 300) },
  );
  expect(compared).toBeGreaterThan(20);
  expect(found).toBeGreaterThan(500);
});

it('locates an XPath on a well-nested page of 5 MiB', () => {
  const items = Array.from({ length: 25_000 }, (_, nth) => `<li class="n${String(nth)}">${'ü'.repeat(92)}</li>\r\n`).join('');
  const page = Buffer.from(`<!doctype html><html><head><title>Größe</title></head><body><ul>${items}</ul><p>last</p></body></html>`);
  expect(page.length).toBeGreaterThan(5 * 1024 * 1024 - 100_000);
  expect(located(page, ['//p', '//li[@class="n24999"]/@class'])).toEqual(['<p>last</p>', 'class="n24999"']);
});
