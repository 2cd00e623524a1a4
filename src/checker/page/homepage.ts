import { readSiteUrl } from '../../domain/project/site-url.ts';
import { isUrl } from '../../kernel/url.ts';
import { checkNameOf } from './check-name.ts';
import { scanHtml } from './html-scanner.ts';

export interface PageLink {
  readonly url: string;
  readonly text: string;
}

const ATTRIBUTES_OF = new Set(['a', 'base']);
const NO_PAGE = /\.(?:pdf|zip|gz|rar|7z|exe|dmg|docx?|xlsx?|pptx?|csv|jpe?g|png|gif|webp|svg|mp[34]|webm|avi|mov|ics|xml|rss)$/i;
/** Following these would do something. */
const NO_VISIT = /(?:log|sign)[-_]?out|odhl|delete|remove|unsubscribe/i;
const MOST_LINKS = 5_000;
/** Read on the thread that everybody shares; homepages are not that long. */
const LINKS_WITHIN = 512 * 1024;

const site = ({ hostname, port }: URL): string => `${hostname.replace(/^www\./, '')}:${port}`;

function linkTo(href: string, base: URL, home: URL): string | null {
  if (!isUrl(href, base)) return null;
  const url = new URL(href, base);
  url.hash = '';
  if (!/^https?:$/.test(url.protocol) || site(url) !== site(home) || url.username !== '' || url.password !== '') return null;
  if (NO_PAGE.test(url.pathname) || NO_VISIT.test(url.pathname + url.search)) return null;
  return readSiteUrl(url.href).kind === 'valid' ? url.href : null;
}

/** Pages of the same site that a homepage links to, fit to be checks, those with the shortest text first (docs/spec/decisions.md#P2). */
export function homepageLinks(html: string, pageUrl: string, most = 8): PageLink[] {
  const home = new URL(pageUrl);
  home.hash = '';
  const bases: URL[] = [];
  const links: { href: string; text: string }[] = [];
  let open: { href: string; text: string } | null = null;
  const done = (): void => {
    if (open !== null && links.length < MOST_LINKS) links.push(open);
    open = null;
  };
  scanHtml(html.slice(0, LINKS_WITHIN), {
    attributesOf: ATTRIBUTES_OF,
    open: (name, attributes) => {
      const href = attributes.get('href');
      // The first counts, also one that cannot be read.
      if (name === 'base' && href !== undefined) bases.push(isUrl(href, home) ? new URL(href, home) : home);
      if (name !== 'a') return;
      done();
      if (href !== undefined) open = { href: href.trim(), text: '' };
    },
    close: (name) => {
      if (name === 'a') done();
    },
    text: (text) => {
      if (open !== null && open.text.length < 1000) open.text += text;
    },
  });
  done();
  const found = new Map<string, PageLink>();
  for (const { href, text } of links) {
    const url = linkTo(href, bases[0] ?? home, home);
    const shown = checkNameOf(text);
    if (url === null || shown === '' || url === home.href || url === new URL('/', home).href) continue;
    const known = found.get(url);
    if (known === undefined || shown.length < known.text.length) found.set(url, { url, text: shown });
  }
  return [...found.values()].sort((a, b) => a.text.length - b.text.length).slice(0, most);
}

const WORDPRESS_ASSET = /["'(=]\s*(?:https?:)?[^"'()\s<>]{0,200}\/wp-(?:content|includes)\//;
const WORDPRESS_GENERATOR = /<meta[^>]{0,200}\bcontent=["']?WordPress\b/i;
/** It shows early, and patterns are not let loose on megabytes. */
const LOOKED_AT = 300_000;
const WORDPRESS_API = 'https://api.w.org/';

/** By its generator, its files or its link to the REST interface (docs/spec/decisions.md#P10). */
export function isWordPress(page: string, linkHeader = ''): boolean {
  const html = page.slice(0, LOOKED_AT);
  if (linkHeader.includes(WORDPRESS_API) || html.includes(WORDPRESS_API)) return true;
  if (html.includes('/wp-') && WORDPRESS_ASSET.test(html)) return true;
  return html.includes('WordPress') && WORDPRESS_GENERATOR.test(html);
}
