import { decodeText } from './charset.ts';
import type { Markup } from './html-scanner.ts';
import { collapsed, pageFacts, type PageFacts } from './page-facts.ts';

export interface PageSource {
  readonly body: Uint8Array;
  readonly contentType: string;
  readonly cut: boolean;
}

/** A body as text, and what is in it; looked at once, when somebody asks. */
export class Page {
  readonly html: string;
  readonly charset: string;
  readonly cut: boolean;
  private readonly markup: Markup | null;
  private known: PageFacts | undefined;

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
}

/** What names no type, or one that servers give when they do not know, is judged by how it begins. */
function markupOf(contentType: string, text: string): Markup | null {
  const type = (contentType.split(';')[0] ?? '').trim().toLowerCase();
  if (type === 'text/html') return 'html';
  if (type === 'application/xhtml+xml') return 'xhtml';
  if (/^(?:application|text)\/xml$/.test(type) || type.endsWith('+xml')) return 'xml';
  const isUnnamed = type === '' || type === 'application/octet-stream';
  return isUnnamed && /^\s*<(?:!doctype|html|head|body|\?xml|!--)/i.test(text.slice(0, 1000)) ? 'html' : null;
}
