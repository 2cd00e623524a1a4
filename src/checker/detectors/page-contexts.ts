import { Tokenizer } from 'htmlparser2';

/** Classifies the positions of a page by their context. */
export interface PageContexts {
  at(position: number): 'plain' | 'prose' | 'quoted' | 'script' | 'field' | 'value';
}

type Context = ReturnType<PageContexts['at']>;

const QUOTING = new Set('pre code samp kbd blockquote q template noscript xmp iframe noembed noframes'.split(' '));
const PROSE = new Set('p li dd dt h1 h2 h3 h4 h5 h6 td th caption figcaption summary label title'.split(' '));
const BLOCK = new Set(
  'div section article main header footer nav aside ul ol dl table tbody thead tr form fieldset body hr address center'.split(' '),
);

class ContextScanner {
  private readonly starts: number[] = [0];
  private readonly contexts: Context[] = ['plain'];
  private quotes = 0;
  private prose = false;
  private link = false;
  private script = false;
  private field = false;

  opened(name: string, start: number): void {
    if (name === 'script' || name === 'style') this.script = true;
    else if (name === 'textarea') this.field = true;
    else if (name === 'a') this.link = true;
    else if (QUOTING.has(name)) this.quotes++;
    else if (PROSE.has(name)) this.prose = true;
    else if (BLOCK.has(name)) this.prose = false;
    // A quoting tag is not part of the quotation.
    if (this.quotes === 0 && !this.script && !this.field) this.mark(start);
  }

  entered(end: number): void {
    this.mark(end + 1);
  }

  closed(name: string, end: number): void {
    if (name === 'script' || name === 'style') this.script = false;
    else if (name === 'textarea') this.field = false;
    else if (name === 'a') this.link = false;
    else if (QUOTING.has(name) && this.quotes > 0) this.quotes--;
    else if (PROSE.has(name) || BLOCK.has(name)) this.prose = false;
    this.mark(end);
  }

  comment(start: number, end: number): void {
    this.quotes++;
    this.mark(start);
    this.quotes--;
    this.mark(end + 1);
  }

  /** Values of attributes are not text of the page. */
  value(start: number, end: number): void {
    this.starts.push(start, end);
    this.contexts.push('value', this.kind());
  }

  at(position: number): Context {
    let low = 0;
    let high = this.starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.starts[middle] ?? 0) <= position) low = middle;
      else high = middle - 1;
    }
    return this.contexts[low] ?? 'plain';
  }

  private mark(position: number): void {
    const kind = this.kind();
    if (this.contexts.at(-1) === kind) return;
    this.starts.push(position);
    this.contexts.push(kind);
  }

  private kind(): Context {
    if (this.script) return 'script';
    if (this.field) return 'field';
    if (this.quotes > 0) return 'quoted';
    return this.prose || this.link ? 'prose' : 'plain';
  }
}

const ignore = (): void => undefined;

/** One pass without a tree; an element without an end tag extends to the end, as in a browser. */
export function contextsOf(html: string): PageContexts {
  const marker = new ContextScanner();
  const tokenizer = new Tokenizer(
    { xmlMode: false, decodeEntities: false },
    {
      onopentagname: (start, end) => marker.opened(html.slice(start, end).toLowerCase(), start - 1),
      onopentagend: (end) => marker.entered(end),
      onclosetag: (start, end) => marker.closed(html.slice(start, end).toLowerCase(), end),
      oncomment: (start, end) => marker.comment(start, end),
      oncdata: (start, end) => marker.comment(start, end),
      onselfclosingtag: ignore,
      ondeclaration: ignore,
      onprocessinginstruction: ignore,
      ontext: ignore,
      ontextentity: ignore,
      onattribname: ignore,
      onattribdata: (start, end) => marker.value(start, end),
      onattribentity: ignore,
      onattribend: ignore,
      onend: ignore,
    },
  );
  tokenizer.write(html);
  tokenizer.end();
  return marker;
}
