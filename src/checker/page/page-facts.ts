import { scanHtml, type HtmlVisitor, type MarkupLanguage } from './html-scanner.ts';
import { shortened } from '../../kernel/text.ts';

/** Extracted in one pass over a page. */
export interface PageFacts {
  /** The visible text: white space collapsed, without title, scripts, styles and comments. */
  readonly text: string;
  readonly titles: readonly string[];
  /** By name or property (`description`, `og:title`), and `itemprop:name` and the like. */
  readonly metas: ReadonlyMap<string, readonly string[]>;
}

/** Elements whose content is not visible. */
const INVISIBLE = new Set(['script', 'style', 'noscript', 'template', 'iframe', 'noembed', 'noframes']);

/** Elements that separate words; all others are inline. */
const SEPARATING = new Set(
  (
    'address article aside blockquote body br button caption center col colgroup datalist dd details dialog dir div dl dt fieldset figcaption figure footer form ' +
    'frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li main menu nav object ol optgroup option p pre section select summary table ' +
    'tbody td textarea tfoot th thead title tr ul video audio canvas svg'
  ).split(' '),
);

/** White space other than one space: most gaps are one, and replacing each of them would take ten times as long. */
export const WIDE_GAP = /[^\S ]\s*| \s+/g;

export const collapsed = (text: string): string => text.replace(WIDE_GAP, ' ').trim();

const MAX_PARTS = 16_384;
const MAX_METAS = 2_000;

const ATTRIBUTES_OF = new Set(['meta']);

export class FactsVisitor implements HtmlVisitor {
  readonly attributesOf = ATTRIBUTES_OF;
  private readonly parts: string[] = [];
  readonly titles: string[] = [];
  readonly metas = new Map<string, string[]>();
  private invisible: string | null = null;
  /** Templates may be nested. */
  private depth = 0;
  private svgDepth = 0;
  private title: string | null = null;
  private metaCount = 0;

  open(name: string, attributes: ReadonlyMap<string, string>, _from?: number, _to?: number): void {
    if (this.invisible !== null) {
      if (name === this.invisible && name === 'template') this.depth++;
    } else if (INVISIBLE.has(name)) {
      this.invisible = name;
      this.depth = 1;
    } else if (name === 'meta') this.meta(attributes);
    else if (name === 'title') this.title = '';
    else {
      if (name === 'svg') this.svgDepth++;
      if (SEPARATING.has(name)) this.add(' ');
    }
  }

  close(name: string, _from?: number, _to?: number): void {
    if (this.invisible !== null) {
      if (name === this.invisible && --this.depth === 0) this.invisible = null;
      return;
    }
    if (name === 'title' && this.title !== null) {
      if (this.svgDepth === 0) this.titles.push(collapsed(this.title));
      this.title = null;
    } else if (name === 'svg' && this.svgDepth > 0) this.svgDepth--;
    if (SEPARATING.has(name)) this.add(' ');
  }

  text(text: string, from?: number, to?: number): void {
    if (this.invisible !== null) return;
    if (this.title === null) this.add(text, from, to);
    else this.title += text;
  }

  joinedText(): string {
    return collapsed(this.parts.join(''));
  }

  /** Joined at intervals: a page of entities has millions of parts. */
  protected add(text: string, _from?: number, _to?: number): void {
    this.parts.push(text);
    if (this.parts.length >= MAX_PARTS) this.parts.splice(0, MAX_PARTS, this.parts.join(''));
  }

  private meta(attributes: ReadonlyMap<string, string>): void {
    const content = attributes.get('content');
    if (content === undefined) return;
    const itemprop = attributes.get('itemprop');
    const keys = [attributes.get('property'), attributes.get('name'), itemprop === undefined ? undefined : `itemprop:${itemprop}`];
    for (const key of new Set(keys.map((one) => one?.trim().toLowerCase()))) {
      if (key === undefined || key === '' || this.metaCount++ >= MAX_METAS) continue;
      this.addMeta(key, content);
    }
  }

  protected addMeta(key: string, content: string): void {
    const known = this.metas.get(key);
    if (known === undefined) this.metas.set(key, [content]);
    else known.push(content);
  }
}

/** A title without an end tag, such as on a cut page, is ignored, because it may be incomplete. */
export function pageFacts(html: string, markup: MarkupLanguage = 'html'): PageFacts {
  const visitor = new FactsVisitor();
  scanHtml(html, visitor, markup);
  return { text: visitor.joinedText(), titles: visitor.titles, metas: visitor.metas };
}

const MAX_NAME_LENGTH = 200;

/** A title or link text as the name of a check: as long as the API allows, and without control characters, which not every store accepts. */
export const checkNameOf = (text: string): string => shortened(collapsed(collapsed(text).replace(/\p{Cc}/gu, '')), MAX_NAME_LENGTH);
