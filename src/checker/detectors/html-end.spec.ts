import { describe, expect, it } from '@jest/globals';
import { Page } from '../page/page.ts';
import type { StoredAnswer } from '../rules/stored-answer.ts';
import { endFailure, htmlEnd } from './html-end.ts';

const answer = (body: string | Uint8Array, changes: Partial<StoredAnswer> = {}): StoredAnswer => ({
  ...{ url: 'http://a.test/', httpVersion: '1.1', status: 200, statusText: '', redirectedBy: null, cut: false },
  headers: [['Content-Type', 'text/html; charset=utf-8']],
  body: typeof body === 'string' ? Buffer.from(body) : body,
  ...changes,
});
const ofType = (type: string): Partial<StoredAnswer> => ({ headers: [['content-type', type]] });
const WHOLE = '<!DOCTYPE html><html><body><p>Shop</p></body></html>';
const CUT = '<!DOCTYPE html><html><body><p>Shop</p><div cla';

describe('the end of a page', () => {
  it.each([
    WHOLE,
    '<HTML><BODY>Shop</BODY></HTML>\r\n\n',
    `${WHOLE}<!-- Page cached in 0.2 s --> \n<script src="a.js"></script><script>if (a < b) c("<p>")</script >\n<noscript><img src="p"></noscript>`,
    '<html></html\n data-x>',
    `${'é€'.repeat(100_000)}</html>`,
    `</html><!--${'-'.repeat(30_000)}-->`,
  ])('is there: %#', (page) => {
    expect(htmlEnd(answer(page))).toBe('closed');
  });

  it.each([CUT, '<p>Shop', 'OK', `</html>${'a'.repeat(70_000)}`])('is not there: %#', (page) => {
    expect(htmlEnd(answer(page))).toBe('open');
  });

  it.each([
    ['something else follows', `${WHOLE}<div id="toolbar"></div>`],
    ['the tag itself is cut', '<html><body></body></html'],
    ['it stands in a script', '<html><script>frame.write("</html>");</script><p>'],
    ['a comment that follows is cut', `${WHOLE}<!-- cached`],
    ['nothing was sent', ''],
    ['white space was sent', ' \n'],
  ])('says nothing where %s', (_, page) => {
    expect(htmlEnd(answer(page))).toBeNull();
  });

  it('counts for HTML that GET answered with 200 and that was read to its end', () => {
    for (const type of ['text/html', 'TEXT/HTML;charset=windows-1250', 'application/xhtml+xml; charset="utf-8"'])
      expect([type, htmlEnd(answer(CUT, ofType(type)))]).toEqual([type, 'open']);
    for (const type of ['', 'text/plain', 'application/xml', 'image/svg+xml', 'text/html5'])
      expect([type, htmlEnd(answer(CUT, ofType(type)))]).toEqual([type, null]);
    for (const changes of [{ status: 404 }, { status: 206 }, { method: 'HEAD' }, { method: 'POST' }, { cut: true }])
      expect(htmlEnd(answer(CUT, changes))).toBeNull();
  });

  it('says nothing of a page in UTF-16', () => {
    const utf16 = Buffer.from(`\ufeff${CUT}`, 'utf16le');
    expect(htmlEnd(answer(utf16, ofType('text/html')))).toBeNull();
    expect(htmlEnd(answer(utf16.subarray(2), ofType('text/html; charset=utf-16')))).toBeNull();
    expect(htmlEnd(answer(Buffer.from(CUT, 'latin1'), ofType('text/html; charset=latin1')))).toBe('open');
  });

  it('is named with what the page ends with instead', () => {
    const failure = (page: string) => endFailure(answer(page), new Page({ body: Buffer.from(page), contentType: 'text/html', cut: false }));
    expect(failure(CUT)).toBe(
      'expected the page to end with </html>, as every passing run before, but it stops after "<!DOCTYPE html><html><body><p>Shop</p><div cla"',
    );
    const long = failure(`<p>${'🙂\n'.repeat(300)}`) ?? '';
    expect(long.length).toBeLessThanOrEqual(200);
    expect(long).not.toMatch(/\p{Cs}/u);
    expect(failure(WHOLE)).toBeNull();
  });
});
