import { describe, expect, it, jest } from '@jest/globals';
import { htmlToXml } from './html-to-xml.ts';
import { tooMuchForTree } from './tree-size.ts';
import type { XPathResult } from './xpath.ts';

// libxml2 captures the console when it is loaded, and logs the errors that it throws as well.
jest.spyOn(console, 'error').mockImplementation(() => undefined);
const { XPathTree, xpathProblem } = await import('./xpath.ts');

function test(html: string, expression: string): XPathResult {
  const tree = new XPathTree(htmlToXml(html));
  const result = tree.test(expression);
  tree.close();
  return result;
}

const PAGE = `<!doctype html><HTML xmlns="http://www.w3.org/1999/xhtml" lang=cs><!-- a -- b --><body onload="a()" @click="x" v-on:a="1" "="">
<table><tr><td id=cell>1 &lt; 2</table><svg viewBox="0 0 1 1"><use xlink:href="#a"/></svg><p>one<p>two\u0000\u0001<br></body>`;

describe('an XPath', () => {
  it.each([
    '//table/tbody/tr/td',
    'count(//p) = 2',
    '//p[2][starts-with(., "two")]',
    'id("cell") = "1 < 2"',
    '//svg/use[@*[name() = "xlink:href"] = "#a"]',
    '//svg/@viewBox',
    'string(//html/@lang)',
    'count(//td)',
    '//body[@onload and @*[name() = "_click" or name() = "__click"]]',
    '"a"',
    '//comment()',
    'not(//h1)',
  ])('%s holds', (expression) => {
    expect(test(PAGE, expression)).toEqual({ kind: 'holds' });
  });

  it.each([
    ['//h1', 'but it finds no node'],
    ['count(//h1)', 'but it is 0'],
    ['string(//h1)', 'but it is an empty text'],
    ['count(//p) > 2', 'but it is false'],
    ['number("x")', 'but it is NaN'],
  ])('%s fails, %s', (expression, found) => {
    expect(test(PAGE, expression)).toEqual({ kind: 'fails', found });
  });

  it.each([
    ['//p[', /not a valid XPath/],
    ['1) or (1', /not a valid XPath/],
    ['', /not a valid XPath/],
    ['matches(., "x")', /nregistered function: matches/],
    ['document("file:///etc/passwd")', /nregistered function: document/],
    ['$x = 1', /ndefined variable: x/],
    ['//svg:use', /ndefined namespace prefix: svg/],
    [`//p[. = "${'x'.repeat(1024)}"]`, /longer than 1 KiB/],
  ])('%s is refused', (expression, reason) => {
    expect(xpathProblem(expression)).toMatch(reason);
  });

  it('can be tested on any text', () => {
    for (const html of [
      '',
      '<',
      '<a b<c d="&#0;&#xd800;">',
      '<x:y:z xmlns:x="u"><ns:a></ns:a>',
      '<a 1=2 é=3 a:b=c a:b=d>',
      '<!---->--><!-- x --',
      '\ud800',
      '<?xml version="9"?>',
      '<p\u0000q>',
    ]) {
      expect(test(html, '/html/body')).toEqual({ kind: 'holds' });
    }
  });
});

describe('a tree', () => {
  it('is not built of a page that is too deep or too large', () => {
    expect(tooMuchForTree('<div>'.repeat(500_000))).toBe('the page is nested more than 1000 deep');
    expect(tooMuchForTree('<i></i>'.repeat(50_001))).toBe('the page has more than 50000 elements');
    expect(tooMuchForTree(`<ul>${'<li>a<p>b<br>'.repeat(10_000)}`)).toBeNull();
  });

  it('is built of a page of the maximum depth', () => {
    expect(test('<div>'.repeat(999), 'count(//div) = 999')).toEqual({ kind: 'holds' });
  });
});
