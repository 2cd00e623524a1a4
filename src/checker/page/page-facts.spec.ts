import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Page } from './page.ts';
import { collapsed, pageFacts } from './page-facts.ts';

const textOf = (html: string): string => pageFacts(html).text;

describe('the text of a page', () => {
  it.each([
    ['<p>one</p><p>two</p>', 'one two'],
    ['one<br>two<BR/>three', 'one two three'],
    ['<td>a<td>b<tr>c', 'a b c'],
    ['st<b>r</b>o<span>n</span>g', 'strong'],
    ['a&nbsp;b &amp; c&#8364;&hellip;', 'a b & c€…'],
    ['a\u00a0\u00a0 \n b', 'a b'],
    ['<head><title>T</title></head><body>B', 'B'],
    ['<script>var a = "<p>no</p>"</script>yes<style>p{}</style>', 'yes'],
    ['a<!-- b --><!--> c', 'a c'],
    ['<noscript>please <b>enable</b></noscript>here', 'here'],
    ['<template>x<template>y</template>z</template>here', 'here'],
    ['<textarea>draft <b></textarea>', 'draft <b>'],
    ['<select><option>a<option>b</select>', 'a b'],
    ['<svg><title>icon</title><text>drawn</text></svg>x', 'drawn x'],
    ['<iframe><p>old browsers</p></iframe>x', 'x'],
    ['<p title="a > b">c', 'c'],
    ['<xmp>', ''],
    ['a < b and <3', 'a < b and <3'],
    ['<![CDATA[x]]>y', 'y'],
  ])('of %j is %j', (html, text) => {
    expect(textOf(html)).toBe(text);
  });

  it.each([
    ['application/rss+xml', '<rss><item><description><![CDATA[Hello <b>you</b>]]></description></item></rss>', 'Hello <b>you</b>'],
    ['text/xml; charset=utf-8', '<urlset><url><loc>https://a.test/?a=1&amp;b=2</loc></url></urlset>', 'https://a.test/?a=1&b=2'],
    ['application/atom+xml', '<feed><style/><script/><p>on</p></feed>', 'on'],
    [
      'application/xhtml+xml',
      '<html><head><script src="a.js"/><title>T</title></head><body>a&nbsp;<![CDATA[b < c]]></body></html>',
      'a b < c',
    ],
    ['text/html', '<script src="a.js"/>x</script><p>a<![CDATA[b]]></p>', 'a'],
  ])('of %s treats CDATA and self-closing elements by its content type', (contentType, body, text) => {
    expect(new Page({ body: Buffer.from(body), contentType, cut: false }).facts.text).toBe(text);
  });

  it.each([
    ['', '<title>T</title><h1>Shop</h1>', 'Shop'],
    ['', '\n <DIV class=a>a<br>b</DIV>', 'a b'],
    ['', '<script>x()</script><p>Hello', 'Hello'],
    ['', '\ufeff<p>Hello', 'Hello'],
    ['html', '<table><td>a<td>b', 'a b'],
    ['unknown/unknown', '<a href=/>in</a>', 'in'],
    ['*/*', '<!-- x --><p>Hello', 'Hello'],
    ['application/octet-stream', '<b>bold</b>', 'bold'],
    ['', '<section>a</section>', '<section>a</section>'],
    ['', '<bread>a</bread>', '<bread>a</bread>'],
    ['', 'a <p>b', 'a <p>b'],
    ['text/plain', '<p>a', '<p>a'],
    ['application/json', '<p>a', '<p>a'],
  ])('of a body with content type %j is that of HTML if browsers would sniff HTML: %j', (contentType, body, text) => {
    expect(new Page({ body: Buffer.from(body), contentType, cut: false }).facts.text).toBe(text);
  });

  it('of titles in XML includes CDATA and decoded entities', () => {
    const titles = (contentType: string, body: string): readonly string[] =>
      new Page({ body: Buffer.from(body), contentType, cut: false }).facts.titles;
    expect(titles('application/rss+xml', '<rss><title><![CDATA[News & views]]></title></rss>')).toEqual(['News & views']);
    expect(titles('application/xhtml+xml', '<head><script src="a.js"/><title>T &eacute;</title></head>')).toEqual(['T é']);
  });

  it('of plain text is the text itself with collapsed whitespace', () => {
    const page = (contentType: string, body: string): string => new Page({ body: Buffer.from(body), contentType, cut: false }).facts.text;
    expect(page('text/plain', 'a <b>\n c')).toBe('a <b> c');
    expect(page('application/json', '{"a": "<p>"}')).toBe('{"a": "<p>"}');
    expect(page('', '<!doctype html><p>a')).toBe('a');
    expect(page('application/xhtml+xml', '<p>a</p>')).toBe('a');
  });

  it('is extracted in bounded time, whatever the markup', () => {
    const pieces = ['<div>', '<b></i>', '&', '&am', '<!--', '<a ', '<template>', '</p>', '"\'', '<title>', '<script>'];
    const some = fc.oneof(fc.constantFrom(...pieces, '<meta name=a content=', '</template>', '-->', '>'), fc.string({ unit: 'binary' }));
    fc.assert(fc.property(fc.array(some, { maxLength: 200, size: 'max' }), (html) => void pageFacts(html.join(''))));
    for (const piece of pieces) {
      const startedAt = performance.now();
      pageFacts(piece.repeat(Math.floor(1_000_000 / piece.length)));
      expect(performance.now() - startedAt).toBeLessThan(20_000);
    }
  });
});

describe('title and meta', () => {
  it('are found by name, property and itemprop, with repeated names and decoded entities', () => {
    const { titles, metas } = pageFacts(`<title>
      A &amp; B </title><meta name="Description" content="first &quot;x&quot;"><meta name=description content=second>
      <meta property="og:title" content="O"><meta name="twitter:card" content="large"><META ITEMPROP="name" Content="I"><meta name="keywords">
      <!-- <meta name="author" content="hidden"> --><noscript><meta name="author" content="hidden"></noscript>`);
    expect(titles).toEqual(['A & B']);
    expect(Object.fromEntries(metas)).toEqual({
      description: ['first "x"', 'second'],
      'og:title': ['O'],
      'twitter:card': ['large'],
      'itemprop:name': ['I'],
    });
  });

  it('do not include an unclosed title', () => {
    expect(pageFacts('<title>Half of a ti').titles).toEqual([]);
  });
});

it('collapses white space of every kind and length', () => {
  const text = fc.array(fc.constantFrom(' ', '\t', '\n', '\u00a0', '\u2003', '\ufeff', 'a', 'é')).map((characters) => characters.join(''));
  fc.assert(fc.property(text, (given) => expect(collapsed(given)).toBe(given.split(/\s+/).filter(Boolean).join(' '))));
});
