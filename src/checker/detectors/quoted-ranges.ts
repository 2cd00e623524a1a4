import { Tokenizer } from 'htmlparser2';

/** Places in a page by what they stand in: from here to the next one. */
export interface Places {
  at(position: number): 'plain' | 'prose' | 'quoted' | 'script';
}

type Kind = ReturnType<Places['at']>;

const QUOTING = new Set('pre code samp kbd blockquote q textarea template noscript style xmp iframe noembed noframes'.split(' '));
const PROSE = new Set('p li dd dt h1 h2 h3 h4 h5 h6 td th caption figcaption summary label title'.split(' '));
const BLOCK = new Set(
  'div section article main header footer nav aside ul ol dl table tbody thead tr form fieldset body hr address center'.split(' '),
);

class PlaceMarker {
  private readonly starts: number[] = [0];
  private readonly kinds: Kind[] = ['plain'];
  private quotes = 0;
  private prose = false;
  private link = false;
  private script = false;

  opened(name: string, start: number, end: number): void {
    if (name === 'script') this.script = true;
    else if (name === 'a') this.link = true;
    else if (QUOTING.has(name)) this.quotes++;
    else if (PROSE.has(name)) this.prose = true;
    else if (BLOCK.has(name)) this.prose = false;
    // The tag that quotes is not quoted itself.
    this.mark(this.quotes > 0 || this.script ? end + 1 : start);
  }

  closed(name: string, end: number): void {
    if (name === 'script') this.script = false;
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

  at(position: number): Kind {
    let low = 0;
    let high = this.starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.starts[middle] ?? 0) <= position) low = middle;
      else high = middle - 1;
    }
    return this.kinds[low] ?? 'plain';
  }

  private mark(position: number): void {
    const kind: Kind = this.script ? 'script' : this.quotes > 0 ? 'quoted' : this.prose || this.link ? 'prose' : 'plain';
    if (this.kinds.at(-1) === kind) return;
    this.starts.push(position);
    this.kinds.push(kind);
  }
}

const nothing = (): void => undefined;

/** One pass, no tree: an element that never ends quotes to the end, as it does in a browser. */
export function placesOf(html: string): Places {
  const marker = new PlaceMarker();
  let name = '';
  let tagAt = 0;
  const tokenizer = new Tokenizer(
    { xmlMode: false, decodeEntities: false },
    {
      onopentagname: (start, end) => {
        name = html.slice(start, end).toLowerCase();
        tagAt = start - 1;
      },
      onopentagend: (end) => marker.opened(name, tagAt, end),
      onclosetag: (start, end) => marker.closed(html.slice(start, end).toLowerCase(), end),
      oncomment: (start, end) => marker.comment(start, end),
      oncdata: (start, end) => marker.comment(start, end),
      onselfclosingtag: nothing,
      ondeclaration: nothing,
      onprocessinginstruction: nothing,
      ontext: nothing,
      ontextentity: nothing,
      onattribname: nothing,
      onattribdata: nothing,
      onattribentity: nothing,
      onattribend: nothing,
      onend: nothing,
    },
  );
  tokenizer.write(html);
  tokenizer.end();
  return marker;
}
