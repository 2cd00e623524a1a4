import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { Page } from '../page/page.ts';
import { pageFacts } from '../page/page-facts.ts';
import type { StoredAnswer } from '../rules/stored-answer.ts';
import { typeFailure } from './check-type.ts';
import { detect, detectError } from './detect-error.ts';
import { keptPages } from '../../../test/error-pages/kept-pages.ts';
import { detectorTable } from './detector-table.ts';
import { messageTable } from './message-table.ts';

const SAMPLES = new URL('../../../test/error-pages/samples/', import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, SAMPLES), 'utf8');
const pageOf = (html: string, contentType = 'text/html; charset=utf-8'): Page =>
  new Page({ body: Buffer.from(html), contentType, cut: false });
const escaped = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
const samples = readdirSync(SAMPLES).filter((name) => name.endsWith('.txt'));
const FILLER = '<p>This page explains what the message means, where it comes from and what to do about it.</p>'.repeat(10);
const manual = (inner: string): string =>
  `<!DOCTYPE html><html><head><title>Manual</title></head><body><h1>About errors</h1>${FILLER}${inner}</body></html>`;

const answerOf = (body: string | Uint8Array, status = 200, contentType = 'text/html'): [StoredAnswer, Page] => {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const headers: StoredAnswer['headers'] = contentType === '' ? [] : [['Content-Type', contentType]];
  const answer = {
    url: 'http://a.test/',
    httpVersion: '1.1',
    status,
    statusText: '',
    headers,
    redirectedBy: null,
    body: bytes,
    cut: false,
  };
  return [answer, new Page({ body: bytes, contentType, cut: false })];
};

describe('the detector table', () => {
  it('has a sample or a kept page for each signature', () => {
    const pages = [...samples.map(read), ...keptPages('errors').map(({ body }) => body)].map((html) => pageOf(html));
    const found = new Set(pages.map((page) => detect(page)?.id));
    expect([...Object.keys(detectorTable), ...Object.keys(messageTable)].filter((id) => !found.has(id))).toEqual([]);
  });

  it.each(samples)('detects an error in %s, and passes pages that only quote it', (name) => {
    const sample = read(name);
    expect(detect(pageOf(sample))).not.toBeNull();
    expect(detect(pageOf(manual(`<pre><code>${escaped(sample)}</code></pre>`)))).toBeNull();
    expect(detect(pageOf(manual(`<form><textarea>${escaped(sample)}</textarea></form>`)))).toBeNull();
    expect(detect(pageOf(manual(`<p>Sometimes you see ${escaped(pageFacts(sample).text)} instead of the page.</p>`)))).toBeNull();
  });

  it.each(readdirSync(new URL('talk/', SAMPLES)))('passes %s, a page about errors', (name) => {
    expect(detect(pageOf(read(`talk/${name}`)))).toBeNull();
  });

  it.each([
    ['nginx', '<center><h1>404 Not Found</h1></center>\n<hr><center>nginx</center>'],
    ['Apache', '<title>404 Not Found</title>\n</head><body>\n<h1>Not Found</h1>\n<p>The requested URL was not found on this server.</p>'],
    [
      'LiteSpeed',
      '<h1 style="margin:0; font-size:150px; line-height:150px; font-weight:bold;">404</h1>LiteSpeed Web Server</a><p>Please be advised',
    ],
    ['Tomcat', '<h1>HTTP Status 404 – Not Found</h1>'],
    ['Next.js', '<h1 class="next-error-h1" style="x">404</h1><h2>This page could not be found.</h2>'],
    ['Express', '<title>Error</title>\n</head>\n<body>\n<pre>Cannot GET /no-such-page</pre>\n</body>'],
    ['CherryPy', '<h2>404 Not Found</h2>\n<p>Nothing matches the given URI</p>\n<pre id="traceback"></pre>'],
    ['Symfony', '<h1>Oops! An Error Occurred</h1>\n<h2>The server returned a "404 Not Found".</h2>'],
  ])('passes the 404 page of %s', (_, html) => {
    expect(detect(pageOf(html))).toBeNull();
  });

  it.each([
    [
      'a link to a proxy',
      '<p>We run <a href="https://tinyproxy.github.io/">tinyproxy</a> and <a href="http://www.cherrypy.dev">CherryPy</a>.</p>',
    ],
    ['a tag in front of a title', '<div>[SQL Server] How to read a plan</div><span>[SQL Server]Backup</span>'],
    [
      'a link to an article',
      '<div><a href="/1">ORA-00942: table or view does not exist</a> and <a href="/2">SQLSTATE[42S02]: Base table</a></div>',
    ],
  ])('detects no error in %s', (_, html) => {
    expect(detect(pageOf(html))).toBeNull();
  });

  it('detects an error after a link, but none in a paragraph with links', () => {
    expect(detect(pageOf('<div><a href="/">Home</a> ORA-00942: table or view does not exist</div>'))?.id).toBe('oracle');
    expect(detect(pageOf('<p>As <a href="/">said</a>, ORA-00942: table or view does not exist</p>'))).toBeNull();
  });

  it('detects an error in the middle of a page', () => {
    const broken = manual(`<table><tr><td>${read('php-warning.txt')}</td></tr></table>`);
    expect(detect(pageOf(broken))).toMatchObject({ id: 'php', name: 'a PHP warning' });
  });

  it('scans a hostile page in bounded time', () => {
    const needles = [
      ...Object.values(detectorTable).map(({ needle }) => needle),
      ...Object.values(messageTable).flatMap((kind) => kind.needles),
    ];
    for (const needle of [...needles, '<b>Warning</b>: ', '\nWarning: in ', '\nat a.b(C.java:1)', 'File "', '<h1>500']) {
      const startedAt = performance.now();
      detect(pageOf(needle.repeat(Math.ceil(300_000 / needle.length))));
      expect(performance.now() - startedAt).toBeLessThan(20_000);
    }
  });
});

describe('detectError', () => {
  it('names and quotes the error in at most 200 characters', () => {
    expect(detectError(...answerOf(read('mysql-access.txt')), false)).toBe(
      `expected no error on the page, found a refused MySQL sign-in: "Access denied for user 'shop'@'localhost' (using password: YES)"`,
    );
    for (const name of samples) expect(detectError(...answerOf(read(name)), false)?.length).toBeLessThanOrEqual(200);
  });

  it.each([
    ['', 200, true],
    [' \n\t ', 200, true],
    ['', 500, true],
    ['', 204, false],
    ['', 302, false],
    ['<p></p>', 200, false],
  ])('reports %j with status %d as empty: %s', (body, status, empty) => {
    expect(detectError(...answerOf(body, status), false) === null).toBe(!empty);
  });

  it('accepts a page that is not found if the check expects an error status', () => {
    expect(detectError(...answerOf('File not found.\n', 404), true)).toBeNull();
    expect(detectError(...answerOf('File not found.\n', 404), false)).toContain('a PHP that found no script');
    expect(detectError(...answerOf('File not found.\n', 200), true)).toContain('a PHP that found no script');
  });

  it('accepts an empty page if the check expects an error status', () => {
    expect(detectError(...answerOf('', 404), true)).toBeNull();
    expect(detectError(...answerOf('', 404), false)).toMatch(/empty/);
  });
});

describe('the type of a check', () => {
  const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a]);
  it.each<[string, Uint8Array | string, number, string, string | null]>([
    ['favicon', png, 200, 'text/plain', null],
    ['favicon', '<svg xmlns="http://www.w3.org/2000/svg"/>', 200, 'image/svg+xml', null],
    ['favicon', Buffer.from([0, 0, 1, 0, 1]), 200, '', null],
    ['favicon', Buffer.from([9, 9, 9]), 200, 'image/avif', null],
    ['favicon', '<html>not found', 404, 'text/html', 'expected an image, found text/html with status 404'],
    ['favicon', '<html>hello', 200, 'image/png', 'expected an image, found image/png with status 200'],
    ['favicon', 'Bad gateway', 502, 'text/plain', 'expected an image, found text/plain with status 502'],
    ['favicon', '', 200, 'image/png', 'expected an image, found image/png with status 200'],
    ['robots', 'User-agent: *', 200, 'text/plain', null],
    ['robots', 'User-agent: *', 200, '', null],
    ['robots', 'User-agent: *', 404, 'text/plain', 'expected status 200, got 404'],
    ['robots', '<!DOCTYPE html><p>hello', 200, 'text/html', 'expected plain text, found an HTML page'],
    ['robots', png, 200, 'image/png', 'expected plain text, found image/png'],
    ['simple', '', 500, '', null],
  ])('%s: body %j with status %d and content type %j', (type, body, status, contentType, expected) => {
    if (type !== 'favicon' && type !== 'robots' && type !== 'simple') throw new Error(type);
    expect(typeFailure(type, ...answerOf(body, status, contentType))).toBe(expected);
  });
});
