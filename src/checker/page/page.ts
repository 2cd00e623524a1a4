import { decodeText } from './charset.ts';
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
  readonly isMarkup: boolean;
  private known: PageFacts | undefined;

  constructor({ body, contentType, cut }: PageSource) {
    const { text, charset } = decodeText(body, contentType, cut);
    this.html = text;
    this.charset = charset;
    this.cut = cut;
    this.isMarkup = isMarkup(contentType, text);
  }

  get facts(): PageFacts {
    return (this.known ??= this.isMarkup ? pageFacts(this.html) : { text: collapsed(this.html), titles: [], metas: new Map() });
  }
}

/** What names no type, or one that servers give when they do not know, is judged by how it begins. */
function isMarkup(contentType: string, text: string): boolean {
  const type = (contentType.split(';')[0] ?? '').trim().toLowerCase();
  if (/^(?:text\/html|application\/xhtml\+xml|(?:application|text)\/xml|image\/svg\+xml)$/.test(type) || type.endsWith('+xml')) return true;
  return (type === '' || type === 'application/octet-stream') && /^\s*<(?:!doctype|html|head|body|\?xml|!--)/i.test(text.slice(0, 1000));
}
