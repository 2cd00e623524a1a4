import { shortened } from '../../kernel/text.ts';
import { certainCharset } from '../page/charset.ts';
import type { Page } from '../page/page.ts';
import { collapsed } from '../page/page-facts.ts';
import { MAX_SENTENCE } from '../rules/sentences.ts';
import { headerValue, type StoredAnswer } from '../rules/stored-answer.ts';

/** `closed`: the page ends with `</html>`. `open`: it stops without. */
export type HtmlEnd = 'closed' | 'open';

/** Bytes at the end of a page that are searched: most pages have the tag in the first of them. */
const WINDOWS = [2 * 1024, 64 * 1024];
/** What servers and plugins append to a page. Each match is one scan, and the first that finds nothing is the last one. */
const APPENDED = /\s*(?:<!--[^]*?-->|<(script|style|noscript)\b[^]*?<\/\1\s*>)/y;
const IS_HTML = /^\s*(?:text\/html|application\/xhtml\+xml)\s*(?:;|$)/i;
const EXCERPT = 60;

/**
 * Null where the end of an answer says nothing (docs/spec/decisions.md#T20): another method than GET, another status than 200, another type than HTML, a
 * page that was cut here, is empty or in UTF-16, or has more than white space, comments and scripts behind the tag.
 */
export function htmlEnd(answer: StoredAnswer): HtmlEnd | null {
  const { status, method = 'GET', cut, body } = answer;
  const contentType = headerValue(answer, 'content-type') ?? '';
  if (method !== 'GET' || status !== 200 || cut || !IS_HTML.test(contentType)) return null;
  return certainCharset(body, contentType)?.startsWith('utf-16') === true ? null : endOfBytes(body);
}

/** In any charset that writes ASCII as ASCII. Takes constant time. */
function endOfBytes(body: Uint8Array): HtmlEnd | null {
  let tail = '';
  for (const bytes of WINDOWS) {
    const last = body.subarray(Math.max(0, body.length - bytes));
    tail = Buffer.from(last.buffer, last.byteOffset, last.length).toString('latin1').toLowerCase();
    const at = tail.lastIndexOf('</html');
    if (at < 0) continue;
    const tag = /^<\/html(?:\s[^>]*)?>/.exec(tail.slice(at));
    return tag !== null && isAppended(tail.slice(at + tag[0].length)) ? 'closed' : null;
  }
  return tail.trim() === '' ? null : 'open';
}

function isAppended(rest: string): boolean {
  let end = 0;
  for (APPENDED.lastIndex = 0; APPENDED.test(rest);) end = APPENDED.lastIndex;
  return rest.slice(end).trim() === '';
}

/** What is wrong with a page that had to end with `</html>`, or null. Its type is known from the run. */
export function endFailure({ body }: StoredAnswer, page: Page): string | null {
  if (endOfBytes(body) !== 'open') return null;
  const last = collapsed(page.html.slice(-8 * EXCERPT))
    .slice(-EXCERPT)
    .replace(/^[\udc00-\udfff]/, '');
  return shortened(`expected the page to end with </html>, as every passing run before, but it stops after "${last}"`, MAX_SENTENCE);
}
