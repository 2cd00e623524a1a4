import { scanHtml } from '../../checker/page/html-scanner.ts';
import { StartRefused } from '../../kernel/start-refused.ts';
import { decodedText, fetchSource, type ImportSource, sourceText } from '../import-source.ts';
import type { Importer, ReadContext } from '../importer.ts';
import { arrives, missing } from '../setting-rows.ts';
import { monitorsOfUrls } from './urls.importer.ts';

/** The protocol allows an index this many sitemaps; a hostile one may list itself. */
const MOST_SITEMAPS = 500;
const MOST_ADDRESSES = 100_000;

/** A sitemap or an index of sitemaps, as a file or at an address. */
export const sitemapImporter: Importer = {
  product: 'A sitemap',
  source: 'a file sitemap.xml, or its address; the sitemaps of an index are fetched',
  settings: {
    loc: arrives('the address of a check that expects status 200'),
    lastmod: missing('a check does not compare dates'),
    changefreq: missing('the period of a project says how often its checks run'),
    priority: missing('checks have no order of importance'),
  },
  read: async (source, context) => {
    const pages: string[] = [];
    const first = parseSitemap(await textOf(source), source.name);
    const waiting = [first];
    const seen = new Set([source.name]);
    for (let sitemap = waiting.shift(); sitemap !== undefined; sitemap = waiting.shift()) {
      for (const page of sitemap.pages) pages.push(page);
      for (const address of sitemap.sitemaps) {
        if (seen.has(address)) continue;
        seen.add(address);
        const nested = await nestedSitemap(address, seen.size, context);
        if (nested !== null) waiting.push(nested);
      }
    }
    for (const page of pages.slice(MOST_ADDRESSES)) context.findings.leaveOut(page, 'an import has at most 100,000 addresses');
    return { monitors: monitorsOfUrls(pages.slice(0, MOST_ADDRESSES).map((url) => ({ url }))) };
  },
};

const isAddress = (text: string): boolean => /^https?:\/\//i.test(text);

const textOf = async (source: ImportSource): Promise<string> =>
  isAddress(source.name) ? decodedText(await fetchSource(source.name), source.name) : sourceText(source);

async function nestedSitemap(address: string, nth: number, { findings }: ReadContext): Promise<Sitemap | null> {
  if (!isAddress(address) || nth > MOST_SITEMAPS) {
    findings.leaveOut(
      address,
      isAddress(address) ? 'an index has at most 500 sitemaps' : 'a sitemap whose address is not one of http or https',
    );
    return null;
  }
  try {
    return parseSitemap(decodedText(await fetchSource(address), address), address);
  } catch (error) {
    if (!(error instanceof StartRefused)) throw error;
    findings.leaveOut(address, error.message.slice(address.length + 2));
    return null;
  }
}

interface Sitemap {
  readonly pages: readonly string[];
  readonly sitemaps: readonly string[];
}

/** Addresses by what they stand in: a `url` or a `sitemap`. */
function parseSitemap(xml: string, name: string): Sitemap {
  const [pages, sitemaps]: [string[], string[]] = [[], []];
  let [inside, text, isSitemap]: [string, string | null, boolean] = ['', null, false];
  scanHtml(
    xml,
    {
      attributesOf: new Set(),
      open: (tag) => {
        if (/^(?:urlset|sitemapindex)$/.test(tag)) isSitemap = true;
        if (tag === 'url' || tag === 'sitemap') inside = tag;
        if (tag === 'loc') text = '';
      },
      text: (part) => {
        if (text !== null) text += part;
      },
      close: (tag) => {
        const address = tag === 'loc' ? (text?.trim() ?? '') : '';
        if (address !== '') (inside === 'sitemap' ? sitemaps : pages).push(address);
        if (tag === 'loc') text = null;
      },
    },
    'xml',
  );
  if (!isSitemap) throw new StartRefused(`${name}: is not a sitemap: it has neither a urlset nor a sitemapindex`);
  return { pages, sitemaps };
}
