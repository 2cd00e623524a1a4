import { isUrl } from '../../kernel/url.ts';
import type { LinkElement } from '../page/page-elements.ts';
import type { Page } from '../page/page.ts';
import { headerValues, type StoredAnswer } from './stored-answer.ts';

/** In bytes of all `Link` headers; the rest is left out. */
const MAX_LINK_HEADER = 64 * 1024;
const PARAMETER = /;\s*([A-Za-z*-]+)\s*=\s*(?:"([^"]*)"|([^\s;,"]*))/g;

/** `<address>; rel=…` of `Link` headers (RFC 8288). */
function linksOfHeaders(answer: StoredAnswer): LinkElement[] {
  const text = headerValues(answer, 'link').join(',').slice(0, MAX_LINK_HEADER);
  return text.split('<').flatMap((part) => {
    const end = part.indexOf('>');
    if (end < 0) return [];
    const parameters = new Map<string, string>();
    for (const [, name = '', quoted, bare] of part.slice(end + 1).matchAll(PARAMETER)) {
      if (!parameters.has(name.toLowerCase())) parameters.set(name.toLowerCase(), quoted ?? bare ?? '');
    }
    const rels = (parameters.get('rel') ?? '').toLowerCase().split(/\s+/).filter(Boolean);
    return [{ rels, href: part.slice(0, end).trim(), hreflang: parameters.get('hreflang') ?? null }];
  });
}

/** The links of an answer with this relation, of its headers and of the page. */
export const linksOf = (answer: StoredAnswer, page: Page, rel: string): LinkElement[] =>
  [...linksOfHeaders(answer), ...page.elements.links].filter(({ rels }) => rels.includes(rel));

/** The address that relative ones of the page are resolved against. */
export function baseOf(answer: StoredAnswer, page: Page): string {
  const { base } = page.elements;
  return base !== null && isUrl(base, answer.url) ? new URL(base, answer.url).href : answer.url;
}

export const resolved = (href: string, base: string): string => (isUrl(href, base) ? new URL(href, base).href : href);
