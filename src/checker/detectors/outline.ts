import { scanHtml, type Attributes, type HtmlVisitor } from '../page/html-scanner.ts';

/**
 * The place of a line. `plain`: in the page itself. `prose`: in a paragraph, list, table, heading, article or comment, where people write about errors.
 * `quoted`: in code, a quotation or a difference. `link`: in a link. `title`: in the title of the page. `hidden`: in a script, a style or a form field.
 */
export type Place = 'plain' | 'prose' | 'quoted' | 'link' | 'title' | 'hidden';

export interface PageLine {
  readonly text: string;
  readonly place: Place;
  /** The text stands directly behind the beginning of a block, or directly before its end. */
  readonly opens: boolean;
  closes: boolean;
}

/** The text of a page by lines, each with its place. */
export interface Outline {
  readonly lines: readonly PageLine[];
  /** Letters that are visible. */
  readonly length: number;
  readonly links: number;
}

const words = (text: string): Set<string> => new Set(text.split(' '));
const QUOTING = words('pre code samp kbd blockquote q ins del template noscript xmp iframe noembed noframes details select svg');
const HIDING = words('script style textarea');
const PARAGRAPH = words('p h1 h2 h3 h4 h5 h6 figcaption summary caption legend label');
const CELL = words('li dd dt td th');
const LIST = words('ul ol dl table');
const BLOCK = words('div section main header footer nav aside body html form fieldset address center dir menu hgroup');
const TALK =
  /(?:^|[-_ ])(?:posts?|comments?|reply|replies|messages?|quotes?|snippets?|excerpts?|diffs?|commits?|logs?|results?|entry|entries|topics?|threads?|answers?|questions?|issues?|articles?|search)(?=$|[-_ ])/i;
const MAX_LINES = 20_000;
const MAX_DEPTH = 500;

class OutlineVisitor implements HtmlVisitor {
  readonly attributesOf = words('div section main body td');
  readonly lines: PageLine[] = [];
  length = 0;
  links = 0;
  private parts = '';
  private opensBlock = true;
  private quotes = 0;
  private hidden: string | null = null;
  private isTitle = false;
  private isParagraph = false;
  private isLink = false;
  private articles = 0;
  private cells = 0;
  private readonly lists: number[] = [];
  private blocks = 0;
  private talkAt = 0;

  open(name: string, attributes: Attributes): void {
    if (this.hidden !== null) return;
    if (name === 'br' || name === 'hr') this.end(false, false);
    else if (HIDING.has(name)) this.inside(name);
    else if (name === 'title') this.begin(() => (this.isTitle = true));
    else if (name === 'a') this.openLink();
    else if (QUOTING.has(name)) this.begin(() => this.quotes++);
    else if (PARAGRAPH.has(name)) this.begin(() => (this.isParagraph = true));
    else if (name === 'article') this.begin(() => this.articles++);
    else if (CELL.has(name)) this.begin(() => this.cells++);
    else if (LIST.has(name)) this.begin(() => this.openList());
    else if (BLOCK.has(name)) this.begin(() => this.openBlock(attributes));
  }

  close(name: string): void {
    if (this.hidden !== null) {
      if (name !== this.hidden) return;
      this.end(false, false);
      this.hidden = null;
      return;
    }
    if (name === 'title') this.finish(() => (this.isTitle = false));
    else if (name === 'a') this.closeLink();
    else if (QUOTING.has(name)) this.finish(() => (this.quotes = Math.max(0, this.quotes - 1)));
    else if (PARAGRAPH.has(name)) this.finish(() => (this.isParagraph = false));
    else if (name === 'article') this.finish(() => (this.articles = Math.max(0, this.articles - 1)));
    else if (CELL.has(name)) this.finish(() => (this.cells = Math.max(this.lists.at(-1) ?? 0, this.cells - 1)));
    else if (LIST.has(name)) this.finish(() => (this.cells = this.lists.pop() ?? 0));
    else if (BLOCK.has(name)) this.finish(() => this.closeBlock());
  }

  text(text: string): void {
    const pieces = text.split(/\r\n|[\r\n]/);
    for (const [at, piece] of pieces.entries()) {
      if (at > 0) this.end(false, false);
      this.parts += piece;
    }
  }

  finished(): Outline {
    this.end(true, true);
    return { lines: this.lines, length: this.length, links: this.links };
  }

  private inside(name: string): void {
    this.end(false, false);
    this.hidden = name;
  }

  private begin(change: () => void): void {
    this.end(false, true);
    change();
  }

  private finish(change: () => void): void {
    this.end(true, false);
    change();
  }

  private openLink(): void {
    if (this.parts.trim() !== '') this.end(false, false);
    this.isLink = true;
    this.links++;
  }

  private closeLink(): void {
    if (!this.isLink) return;
    this.end(false, false);
    this.isLink = false;
  }

  private openList(): void {
    this.isParagraph = false;
    if (this.lists.length < MAX_DEPTH) this.lists.push(this.cells);
  }

  private openBlock(attributes: Attributes): void {
    this.isParagraph = false;
    this.blocks++;
    const names = `${attributes.get('class') ?? ''} ${attributes.get('id') ?? ''}`;
    if (this.talkAt === 0 && TALK.test(names)) this.talkAt = this.blocks;
  }

  private closeBlock(): void {
    this.isParagraph = false;
    if (this.talkAt === this.blocks) this.talkAt = 0;
    this.blocks = Math.max(0, this.blocks - 1);
  }

  /** Ends a line: at the end of a block, or where another begins. */
  private end(closesBlock: boolean, beginsBlock: boolean): void {
    const text = this.parts.replace(/[\s\u00a0]+/g, ' ').trim();
    this.parts = '';
    if (text !== '' && this.lines.length < MAX_LINES) {
      this.lines.push({ text, place: this.place(), opens: this.opensBlock, closes: closesBlock });
      if (this.hidden === null && !this.isTitle) this.length += text.length;
      this.opensBlock = false;
    } else if (closesBlock && !this.opensBlock) {
      const last = this.lines.at(-1);
      if (last !== undefined) last.closes = true;
    }
    if (beginsBlock) this.opensBlock = true;
    else if (closesBlock) this.opensBlock = false;
  }

  private place(): Place {
    if (this.hidden !== null) return 'hidden';
    if (this.isTitle) return 'title';
    if (this.quotes > 0) return 'quoted';
    if (this.isLink) return 'link';
    return this.isParagraph || this.cells > 0 || this.articles > 0 || this.talkAt > 0 ? 'prose' : 'plain';
  }
}

/** One pass without a tree. Comments and values of attributes are no text. */
export function outlineOf(html: string): Outline {
  const visitor = new OutlineVisitor();
  scanHtml(html, visitor);
  return visitor.finished();
}
