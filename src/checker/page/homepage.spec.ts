import { describe, expect, it } from '@jest/globals';
import { homepageLinks, isWordPress } from './homepage.ts';

describe('homepageLinks', () => {
  it('returns each link within the site once, shortest text first', () => {
    const html = `<a href="/">Home</a><a href="#top">Top</a><a href="/contact?a=1#form"> Con<b>ta</b>ct </a><a href=about>About us</a>
      <a href="/about">Us</a><a href="https://www.example.com/b">B &amp; C</a><a href="https://elsewhere.com/">Elsewhere</a><a href="mailto:a@b.c">Mail</a>
      <a href="/file.pdf">Price list</a><a href="/logout">Log out</a><a href="/img"><img src=x></a><a>no</a><a href="//example.com:8080/">Port</a>
      <a href="/unclosed">Unclosed<a href="/next">Next one here</a><script>"<a href='/script'>s</a>"</script>`;
    expect(homepageLinks(html, 'https://example.com/')).toEqual([
      { url: 'https://example.com/about', text: 'Us' },
      { url: 'https://www.example.com/b', text: 'B & C' },
      { url: 'https://example.com/contact?a=1', text: 'Contact' },
      { url: 'https://example.com/unclosed', text: 'Unclosed' },
      { url: 'https://example.com/next', text: 'Next one here' },
    ]);
  });

  it('resolves links against the base of the page, and returns at most eight', () => {
    const html = `<base href="/shop/">${Array.from({ length: 20 }, (_, i) => `<a href="p${String(i)}">Page ${String(i)}</a>`).join('')}`;
    const links = homepageLinks(html, 'https://example.com/index.html');
    expect(links).toHaveLength(8);
    expect(links[0]).toEqual({ url: 'https://example.com/shop/p0', text: 'Page 0' });
  });

  it('searches the first 512 KiB only', () => {
    const html = `<a href="/early">Early</a>${'x'.repeat(600_000)}<a href="/late">Late</a>`;
    expect(homepageLinks(html, 'https://example.com/')).toEqual([{ url: 'https://example.com/early', text: 'Early' }]);
  });

  it('uses the first of several base elements', () => {
    const html = '<base target="_top"><base href="/one/"><base href="/two/"><a href="x">Here</a>';
    expect(homepageLinks(html, 'https://example.com/')).toEqual([{ url: 'https://example.com/one/x', text: 'Here' }]);
  });

  it('returns only URLs and names that are valid for a check', () => {
    const html = `<a href="/${'x'.repeat(2_100)}">Long</a><a href="/a">A\u0000 sh\u007fop</a><a href="/b">\u0001</a>
      <a href="/c">${'x'.repeat(198)}😀 and more</a>`;
    expect(homepageLinks(html, 'https://example.com/')).toEqual([
      { url: 'https://example.com/a', text: 'A shop' },
      { url: 'https://example.com/c', text: `${'x'.repeat(198)}…` },
    ]);
  });
});

describe('links that need no parser', () => {
  it.each([
    ['HTTPS://WWW.Example.com/page', true],
    ['https://ex%61mple.com/page', true],
    ['https:\\\\example.com/page', true],
    ['https:example.com/page', true],
    ['https://example.com.evil.example/page', false],
    ['https://example.com@evil.example/page', false],
    ['https://evil.example#@example.com/page', false],
    ['MailTo:example.com/page', false],
    ['javascript:example.com/page', false],
  ])('%s leads to the site: %s', (href, isLink) => {
    expect(homepageLinks(`<a href="${href}">Page</a><a href="${href}">The page</a>`, 'https://example.com/').length > 0).toBe(isLink);
  });
});

describe('isWordPress', () => {
  it.each([
    ['<meta name="generator" content="WordPress 6.7" />', true],
    ['<link rel="stylesheet" href="https://example.com/wp-content/themes/a/style.css">', true],
    ['<script src=/wp-includes/js/a.js>', true],
    ['<link rel="https://api.w.org/" href="https://example.com/wp-json/">', true],
    ['<p>We moved from WordPress; its files lay in /wp-content/ and were many.</p>', false],
    ['<meta name="generator" content="Drupal 10">', false],
    ['', false],
  ])('of %s: %s', (html, expected) => {
    expect(isWordPress(html)).toBe(expected);
  });

  it('recognises the Link header', () => {
    expect(isWordPress('', '<https://example.com/wp-json/>; rel="https://api.w.org/"')).toBe(true);
  });

  it('takes bounded time', () => {
    const startedAt = performance.now();
    isWordPress(`${'= "'.repeat(1_000_000)}/wp-WordPress`);
    isWordPress(`/wp-WordPress${'<meta'.repeat(1_000_000)}`);
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  });
});
