import { decodeText } from './charset.ts';
import type { MarkupLanguage } from './html-scanner.ts';
import { NO_ELEMENTS, type PageElements, pageElements } from './page-elements.ts';
import { collapsed, pageFacts, type PageFacts } from './page-facts.ts';

export interface PageSource {
  readonly body: Uint8Array;
  readonly contentType: string;
  readonly cut: boolean;
}

/** A decoded body; its facts are extracted on first use. */
export class Page {
  readonly html: string;
  readonly charset: string;
  readonly cut: boolean;
  /** Null for a page that is no markup. */
  readonly markup: MarkupLanguage | null;
  private known: PageFacts | undefined;
  private knownElements: PageElements | undefined;

  constructor({ body, contentType, cut }: PageSource) {
    const { text, charset } = decodeText(body, contentType, cut);
    this.html = text;
    this.charset = charset;
    this.cut = cut;
    this.markup = markupOf(contentType, text);
  }

  get isMarkup(): boolean {
    return this.markup !== null;
  }

  get facts(): PageFacts {
    return (this.known ??=
      this.markup !== null ? pageFacts(this.html, this.markup) : { text: collapsed(this.html), titles: [], metas: new Map() });
  }

  /** Empty unless the page is markup. */
  get elements(): PageElements {
    return (this.knownElements ??= this.markup === null ? NO_ELEMENTS : pageElements(this.html, this.markup));
  }
}

/** Content types that mean "unknown", and the default of some servers. */
const UNKNOWN = new Set(['unknown/unknown', 'application/unknown', '*/*', 'application/octet-stream']);
/** How browsers detect HTML without a content type (mimesniff.spec.whatwg.org, section 7.1). */
const BEGINS_AS_HTML = /^\s*<(?:(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p)[\s>]|!--|\?xml)/i;

/** Without a known content type, the first bytes decide. */
function markupOf(contentType: string, text: string): MarkupLanguage | null {
  const type = (contentType.split(';')[0] ?? '').trim().toLowerCase();
  if (type === 'text/html') return 'html';
  if (type === 'application/xhtml+xml') return 'xhtml';
  if (/^(?:application|text)\/xml$/.test(type) || type.endsWith('+xml')) return 'xml';
  const isUnnamed = !/^[^/]+\/[^/]+$/.test(type) || UNKNOWN.has(type);
  return isUnnamed && BEGINS_AS_HTML.test(text.slice(0, 1445)) ? 'html' : null;
}
