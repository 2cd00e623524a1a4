import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { nestedPage as page, nestedTree as paired } from '../../../test/support/nested-pages.ts';
import { htmlToXml } from './html-to-xml.ts';
import { wellNestedToXml } from './well-nested-html.ts';

/** `<a></a>` and `<a/>` are the same tree. */
const canonical = (xml: string): string => xml.replace(/<([^ <>/]+)((?: [^<>]*")?)><\/\1>/g, '<$1$2/>');
describe('a well-nested page', () => {
  it.each([
    ['paragraphs and lists without end tags', '<ul><li>a<li><p>b</ul><p>c<p>d<div>e</div><dl><dt>f<dd>g</dl>'],
    [
      'tables without end tags and row groups',
      '<table><tr><td>1<td>2<tr><th>3</table><table>\n<thead>\n<tr><th>a</th></tr></thead></table>',
    ],
    ['an icon', '<svg viewBox="0 0 1 1" xmlns:xlink="x"><title>a</title><linearGradient id="g"/><use xlink:href="#g"></use></svg>'],
    ['text elements', '<script>a < b && "<p>"</script><noscript><p>a</noscript><textarea>\n\n&lt;</textarea><pre>\n a</pre>'],
    ['forms', '<form><select name=a><option selected>1<option>2</select><input disabled><button type=submit>a</button></form>'],
    ['references and attributes', '<a href=/a?b=1&c=2 title="&quot;&#8364;&nbsp;" @click="x" id=i>&raquo; a & b</a>\r\n'],
    ['comments', '<!-- a -- b -->'],
  ])('is written as the parser of the standard would: %s', (_, body) => {
    const html = page(body);
    const written = wellNestedToXml(`${html}<!-- c -->\n`);
    expect(written).not.toBeNull();
    expect(canonical(written ?? '')).toBe(canonical(htmlToXml(`${html}<!-- c -->\n`)));
  });

  it.each([
    ['misnested formatting', '<b><i>a</b></i>'],
    ['text in a table', '<table>a<tr><td>b</table>'],
    ['a form in a form', '<form><div><form>a</form></div></form>'],
    ['an end tag without a start tag', '<div></span></div>'],
  ])('is not %s', (_, body) => expect(wellNestedToXml(page(body))).toBeNull());

  it('is never written otherwise than the parser of the standard would, whatever the page', () => {
    let understood = 0;
    fc.assert(
      fc.property(paired, fc.boolean(), fc.nat({ max: 400 }), (body, isWhole, cut) => {
        const html = isWhole ? page(body) : page(body).slice(cut % 7 === 0 ? 1 : 0, -cut);
        const written = wellNestedToXml(html);
        if (written === null) return;
        understood++;
        expect(canonical(written)).toBe(canonical(htmlToXml(html)));
      }),
      { numRuns: Number(process.env['RUNS'] ?? 2_000) },
    );
    expect(understood).toBeGreaterThan(100);
  });
});
