import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { htmlToXml } from './html-to-xml.ts';
import { wellNestedToXml } from './well-nested-html.ts';

/** `<a></a>` and `<a/>` are the same tree. */
const canonical = (xml: string): string => xml.replace(/<([^ <>/]+)((?: [^<>]*")?)><\/\1>/g, '<$1$2/>');
const page = (body: string, head = ''): string =>
  `<!DOCTYPE html>\n<html lang="cs">\n<head>\n<meta charset=utf-8><title>A &amp; B</title>${head}</head>\n<body class='a'>${body}</body>\n</html>\n`;

const PIECES = (
  '<div>|</div>|<p>|</p>|<ul>|</ul>|<li>|</li>|<dl>|<dt>|<dd>|</dl>|</dd>|<b>|</b>|<a href="/x?a=1&b=2">|</a>|<span id=s>|</span>|<h1>|</h1>|<h2>|</h2>|' +
  '<table>|</table>|<thead>|<tbody>|</tbody>|<tr>|</tr>|<td>|</td>|<th>|</th>|<caption>|</caption>|<colgroup>|<col>|</colgroup>|<form>|</form>|<input type=hidden>|' +
  '<select>|<option>|</option>|<optgroup>|</select>|<button>|</button>|<br>|<br/>|<hr>|<img src=a.png alt="">|<!-- c -->|<!---->|<!--a--!>|<pre>\n|</pre>|' +
  '<textarea>\n|</textarea>|<script>if (a < b) "</p>"</script>|<script><!--|</script>|<style>a > b {}</style>|<noscript><img></noscript>|<noscript>|</noscript>|' +
  '<svg viewBox="0 0 1 1" xmlns="http://www.w3.org/2000/svg">|</svg>|<path d="M0"/>|<g>|</g>|<title>|</title>|<use xlink:href="#a"/>|<lineargradient>|' +
  '</linearGradient>|a|1 < 2|&lt;|&nbsp;|&copy|&notit;|&#x80;|&#39;|&| & |\n|\r\n| |\t|\u0001|<em>|</em>|<x-a>|</x-a>|<template>|</template>|<nobr>|' +
  '<label for=x>|</label>|<object>|</object>|<iframe src=a></iframe>|<P CLASS=A class=b>|<DIV/>|<i>|</i>|</body>|</html>|<body onload=a>|<html a>|<head>|' +
  '<main>|</main>|<section>|</section>|<menu>|</menu>|<datalist>|</datalist>|<center>|</center>|<video>|</video>|<source src=a>|<![CDATA[x]]>|</br>|<math>|<meta name=a>|<fieldset>|<legend>|</fieldset>'
).split('|');

/** Pieces, alone and as pairs, so that generated pages are understood as well as given up. */
const paired = fc.letrec<{ node: string; tree: string }>((tie) => ({
  node: fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom(...PIECES) },
    fc
      .tuple(
        fc.constantFrom(
          ...'div p ul li dl dd b a span h1 table tbody tr td th form select option button pre svg g em section object label'.split(' '),
        ),
        tie('tree'),
      )
      .map(([name, inside]) => `<${name}>${inside}</${name}>`),
  ),
  tree: fc.array(tie('node'), { maxLength: 6 }).map((nodes) => nodes.join('')),
})).tree;

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
