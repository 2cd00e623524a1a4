import { collapsed } from '../../page/page-facts.ts';
import { scanHtml } from '../../page/html-scanner.ts';
import type { Page } from '../../page/page.ts';
import { ofNumber } from '../comparers.ts';
import { textRow } from '../rule-row.ts';
import { textLines } from '../text-lines.ts';

const NONE: ReadonlySet<string> = new Set();
/** The limit of the sitemap protocol. */
const MAX_ADDRESSES = 50_000;

interface Address {
  readonly address: string;
  /** The place of the address in the page. */
  readonly from: number;
  readonly to: number;
}

const known = new WeakMap<Page, readonly Address[]>();

/** A sitemap or an index of sitemaps in XML, or a text with an address a line. */
export function sitemapAddresses(page: Page): readonly Address[] {
  const before = known.get(page);
  if (before !== undefined) return before;
  const found = /^\s*(?:\ufeff)?</.test(page.html)
    ? addressesOfXml(page.html)
    : [...textLines(page.html, /\r?\n/g)].flatMap(({ from, text }) =>
        /^https?:\/\//i.test(text) ? [{ address: text, from, to: from + text.length }] : [],
      );
  known.set(page, found);
  return found;
}

function addressesOfXml(xml: string): Address[] {
  const found: Address[] = [];
  let text: string[] | null = null;
  let begin = 0;
  scanHtml(
    xml,
    {
      attributesOf: NONE,
      open: (name, _, _from, to) => {
        if (name !== 'loc' || found.length >= MAX_ADDRESSES) return;
        text = [];
        begin = to;
      },
      text: (part) => text?.push(part),
      close: (name, from) => {
        if (name === 'loc' && text !== null) found.push({ address: collapsed(text.join('')), from: begin, to: from });
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
  (_, page) => ({ values: sitemapAddresses(page).map(({ address }) => address), moreToCome: page.cut }),
  { isExpensive: true },
);

/** `sitemap:count`: how many. */
export const sitemapCountRow = textRow(
  'the number of addresses in the sitemap',
  'no address',
  (_, page) => ({ values: [String(sitemapAddresses(page).length)], unfinished: page.cut }),
  { comparers: ofNumber, isExpensive: true },
);
