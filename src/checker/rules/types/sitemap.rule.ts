import { collapsed } from '../../page/page-facts.ts';
import { scanHtml } from '../../page/html-scanner.ts';
import type { Page } from '../../page/page.ts';
import { ofNumber } from '../comparers.ts';
import { textRow } from '../rule-row.ts';

const NONE: ReadonlySet<string> = new Set();
/** Of the protocol. */
const MAX_ADDRESSES = 50_000;
const known = new WeakMap<Page, readonly string[]>();

/** A sitemap or an index of sitemaps in XML, or a text with an address a line. */
function addressesOf(page: Page): readonly string[] {
  const before = known.get(page);
  if (before !== undefined) return before;
  const found = /^\s*(?:\ufeff)?</.test(page.html)
    ? addressesOfXml(page.html)
    : page.html.split(/\r?\n/).filter((line) => /^https?:\/\//i.test(line));
  known.set(page, found);
  return found;
}

function addressesOfXml(xml: string): string[] {
  const found: string[] = [];
  let text: string[] | null = null;
  scanHtml(
    xml,
    {
      attributesOf: NONE,
      open: (name) => {
        if (name === 'loc' && found.length < MAX_ADDRESSES) text = [];
      },
      text: (part) => text?.push(part),
      close: (name) => {
        if (name === 'loc' && text !== null) found.push(collapsed(text.join('')));
        text = null;
      },
    },
    'xml',
  );
  return found;
}

/** `sitemap`: the addresses that the answer, a sitemap, lists. */
export const sitemapRow = textRow(
  'the addresses of the sitemap',
  'no address',
  (_, page) => ({ values: addressesOf(page), moreToCome: page.cut }),
  { isExpensive: true },
);

/** `sitemap:count`: how many. */
export const sitemapCountRow = textRow(
  'the number of addresses in the sitemap',
  'no address',
  (_, page) => ({ values: [String(addressesOf(page).length)], unfinished: page.cut }),
  { comparers: ofNumber, isExpensive: true },
);
