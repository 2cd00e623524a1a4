import { readSiteUrl } from '../../kernel/site-url.ts';
import { isUrl } from '../../kernel/url.ts';
import { checkNameOf } from './page-facts.ts';
import { scanHtml } from './html-scanner.ts';
import { Page } from './page.ts';

export interface PageLink {
  readonly url: string;
  readonly text: string;
}

const ATTRIBUTES_OF = new Set(['a', 'base']);
const FILE_EXTENSIONS = /\.(?:pdf|zip|gz|rar|7z|exe|dmg|docx?|xlsx?|pptx?|csv|jpe?g|png|gif|webp|svg|mp[34]|webm|avi|mov|ics|xml|rss)$/i;
/** Links with side effects. */
const ACTIONS = /(?:log|sign)[-_]?out|odhl|delete|remove|unsubscribe/i;
const MAX_LINKS = 5_000;
/** The links of a site's own pages are near the top. */
const MAX_SCANNED = 512 * 1024;

const site = ({ hostname, port }: URL): string => `${hostname.replace(/^www\./, '')}:${port}`;

/** A plain absolute address; others are left to the parser. */
const ABSOLUTE = /^https?:\/\/([a-z0-9.-]+)(?:[/?#]|$)/i;
/** Cannot lead to a page of a site. */
const NO_PAGE = /^(?:mailto:|tel:|javascript:|data:)/i;

/** Cheap, and true only where parsing would come to the same conclusion: most links of a page lead elsewhere. */
function isElsewhere(href: string, home: URL): boolean {
  if (NO_PAGE.test(href)) return true;
  const host = ABSOLUTE.exec(href)?.[1]?.toLowerCase();
  return host !== undefined && host.replace(/^www\./, '') !== home.hostname.replace(/^www\./, '') && /[a-z]$/.test(host);
}

function linkTo(href: string, base: URL, home: URL): string | null {
  if (!isUrl(href, base)) return null;
  const url = new URL(href, base);
  url.hash = '';
  if (!/^https?:$/.test(url.protocol) || site(url) !== site(home) || url.username !== '' || url.password !== '') return null;
  if (FILE_EXTENSIONS.test(url.pathname) || ACTIONS.test(url.pathname + url.search)) return null;
  return readSiteUrl(url.href).kind === 'valid' ? url.href : null;
}

/** Links of a homepage to pages of the same site that can be checks, the shortest text first (docs/spec/decisions.md#P2). */
export function homepageLinks(html: string, pageUrl: string, most = 8): PageLink[] {
  const home = new URL(pageUrl);
  home.hash = '';
  const bases: URL[] = [];
  const links: { href: string; text: string }[] = [];
  let open: { href: string; text: string } | null = null;
  const endLink = (): void => {
    if (open !== null && links.length < MAX_LINKS) links.push(open);
    open = null;
  };
  scanHtml(html.slice(0, MAX_SCANNED), {
    attributesOf: ATTRIBUTES_OF,
    open: (name, attributes) => {
      const href = attributes.get('href');
      // The first one counts, even if it is invalid.
      if (name === 'base' && href !== undefined) bases.push(isUrl(href, home) ? new URL(href, home) : home);
      if (name !== 'a') return;
      endLink();
      if (href !== undefined) open = { href: href.trim(), text: '' };
    },
    close: (name) => {
      if (name === 'a') endLink();
    },
    text: (text) => {
      if (open !== null && open.text.length < 1000) open.text += text;
    },
  });
  endLink();
  const found = new Map<string, PageLink>();
  const urls = new Map<string, string | null>();
  for (const { href, text } of links) {
    let url = urls.get(href);
    if (url === undefined) {
      url = isElsewhere(href, home) ? null : linkTo(href, bases[0] ?? home, home);
      urls.set(href, url);
    }
    const shown = checkNameOf(text);
    if (url === null || shown === '' || url === home.href || url === new URL('/', home).href) continue;
    const known = found.get(url);
    if (known === undefined || shown.length < known.text.length) found.set(url, { url, text: shown });
  }
  return [...found.values()].sort((a, b) => a.text.length - b.text.length).slice(0, most);
}

const WORDPRESS_ASSET = /["'(=]\s*(?:https?:)?[^"'()\s<>]{0,200}\/wp-(?:content|includes)\//;
const WORDPRESS_GENERATOR = /<meta[^>]{0,200}\bcontent=["']?WordPress\b/i;
/** Limits the time of the patterns; the signs of WordPress are near the top. */
const MAX_SEARCHED = 300_000;
const WORDPRESS_API = 'https://api.w.org/';

/** By the generator tag, asset paths or the link to the REST API (docs/spec/decisions.md#P10). */
export function isWordPress(page: string, linkHeader = ''): boolean {
  const html = page.slice(0, MAX_SEARCHED);
  if (linkHeader.includes(WORDPRESS_API) || html.includes(WORDPRESS_API)) return true;
  if (html.includes('/wp-') && WORDPRESS_ASSET.test(html)) return true;
  return html.includes('WordPress') && WORDPRESS_GENERATOR.test(html);
}

/** A homepage as it was fetched. */
export interface FetchedHomepage {
  readonly url: string;
  readonly body: Uint8Array;
  readonly contentType: string;
  readonly cut: boolean;
  readonly linkHeader: string;
  /** Only a preset project takes links (`Project.awaitsLinks`). */
  readonly wantsLinks: boolean;
}

export interface HomepageFindings {
  readonly isWordPress: boolean;
  readonly links: readonly PageLink[];
}

/** For a worker thread: a hostile page takes a second to read. */
export function readHomepage({ url, linkHeader, wantsLinks, ...fetched }: FetchedHomepage): HomepageFindings {
  const page = new Page(fetched);
  const links = wantsLinks && page.isMarkup ? homepageLinks(page.html, url) : [];
  return { isWordPress: isWordPress(page.html, linkHeader), links };
}
