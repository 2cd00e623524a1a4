import { scanHtml, type HtmlVisitor, type Markup } from './html-scanner.ts';

/** What one pass over a page gathers. */
export interface PageFacts {
  /** As a reader sees it: white space collapsed, without title, scripts, styles and comments. */
  readonly text: string;
  readonly titles: readonly string[];
  /** By name or property (`description`, `og:title`), and `itemprop:name` and the like. */
  readonly metas: ReadonlyMap<string, readonly string[]>;
}

/** Their content is not shown. */
const UNSEEN = new Set(['script', 'style', 'noscript', 'template', 'iframe', 'noembed', 'noframes']);

/** Words on both sides of these are two words. Everything else is inline. */
const SEPARATING = new Set(
  (
    'address article aside blockquote body br button caption center col colgroup datalist dd details dialog dir div dl dt fieldset figcaption figure footer form ' +
    'frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li main menu nav object ol optgroup option p pre section select summary table ' +
    'tbody td textarea tfoot th thead title tr ul video audio canvas svg'
  ).split(' '),
);

export const collapsed = (text: string): string => text.replace(/\s+/g, ' ').trim();

const MOST_PARTS = 16_384;
const MOST_METAS = 2_000;

const ATTRIBUTES_OF = new Set(['meta']);

class FactsVisitor implements HtmlVisitor {
  readonly attributesOf = ATTRIBUTES_OF;
  private readonly parts: string[] = [];
  readonly titles: string[] = [];
  readonly metas = new Map<string, string[]>();
  private unseen: string | null = null;
  /** A template may hold templates. */
  private depth = 0;
  private drawings = 0;
  private title: string | null = null;
  private metaCount = 0;

  open(name: string, attributes: ReadonlyMap<string, string>): void {
    if (this.unseen !== null) {
      if (name === this.unseen && name === 'template') this.depth++;
    } else if (UNSEEN.has(name)) {
      this.unseen = name;
      this.depth = 1;
    } else if (name === 'meta') this.meta(attributes);
    else if (name === 'title') this.title = '';
    else {
      if (name === 'svg') this.drawings++;
      if (SEPARATING.has(name)) this.add(' ');
    }
  }

  close(name: string): void {
    if (this.unseen !== null) {
      if (name === this.unseen && --this.depth === 0) this.unseen = null;
      return;
    }
    if (name === 'title' && this.title !== null) {
      if (this.drawings === 0) this.titles.push(collapsed(this.title));
      this.title = null;
    } else if (name === 'svg' && this.drawings > 0) this.drawings--;
    if (SEPARATING.has(name)) this.add(' ');
  }

  text(text: string): void {
    if (this.unseen !== null) return;
    if (this.title === null) this.add(text);
    else this.title += text;
  }

  whole(): string {
    return collapsed(this.parts.join(''));
  }

  /** Joined now and then: a page of nothing but entities has millions of parts. */
  private add(text: string): void {
    this.parts.push(text);
    if (this.parts.length >= MOST_PARTS) this.parts.splice(0, MOST_PARTS, this.parts.join(''));
  }

  private meta(attributes: ReadonlyMap<string, string>): void {
    const content = attributes.get('content');
    if (content === undefined) return;
    const itemprop = attributes.get('itemprop');
    const keys = [attributes.get('property'), attributes.get('name'), itemprop === undefined ? undefined : `itemprop:${itemprop}`];
    for (const key of new Set(keys.map((one) => one?.trim().toLowerCase()))) {
      if (key === undefined || key === '' || this.metaCount++ >= MOST_METAS) continue;
      const known = this.metas.get(key);
      if (known === undefined) this.metas.set(key, [content]);
      else known.push(content);
    }
  }
}

/** A title or text that never ends (a page that was cut) is no title: nobody knows what it would have been. */
export function pageFacts(html: string, markup: Markup = 'html'): PageFacts {
  const visitor = new FactsVisitor();
  scanHtml(html, visitor, markup);
  return { text: visitor.whole(), titles: visitor.titles, metas: visitor.metas };
}
