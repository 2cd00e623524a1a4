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

/** One pass, no tree: an element that never ends quotes to the end, as it does in a browser. */
export function placesOf(html: string): Places {
  const starts: number[] = [0];
  const kinds: Kind[] = ['plain'];
  let quotes = 0;
  let prose = false;
  let tagAt = 0;
  let script = false;
  const mark = (position: number): void => {
    const kind: Kind = script ? 'script' : quotes > 0 ? 'quoted' : prose ? 'prose' : 'plain';
    if (kinds.at(-1) === kind) return;
    starts.push(position);
    kinds.push(kind);
  };
  const quoted = (start: number, end: number): void => {
    quotes++;
    mark(start);
    quotes--;
    mark(end + 1);
  };
  const opened = (name: string): void => {
    if (name === 'script') script = true;
    else if (QUOTING.has(name)) quotes++;
    else if (PROSE.has(name)) prose = true;
    else if (BLOCK.has(name)) prose = false;
  };
  let name = '';
  const tokenizer = new Tokenizer(
    { xmlMode: false, decodeEntities: false },
    {
      onopentagname: (start, end) => {
        name = html.slice(start, end).toLowerCase();
        tagAt = start - 1;
      },
      onopentagend: (end) => {
        opened(name);
        // The tag that quotes is not quoted itself.
        mark(quotes > 0 || script ? end + 1 : tagAt);
      },
      onselfclosingtag: () => undefined,
      onclosetag: (start, end) => {
        const closed = html.slice(start, end).toLowerCase();
        if (closed === 'script') script = false;
        else if (QUOTING.has(closed) && quotes > 0) quotes--;
        else if (PROSE.has(closed) || BLOCK.has(closed)) prose = false;
        mark(end);
      },
      oncomment: (start, end) => quoted(start, end),
      oncdata: (start, end) => quoted(start, end),
      ondeclaration: () => undefined,
      onprocessinginstruction: () => undefined,
      ontext: () => undefined,
      ontextentity: () => undefined,
      onattribname: () => undefined,
      onattribdata: () => undefined,
      onattribentity: () => undefined,
      onattribend: () => undefined,
      onend: () => undefined,
    },
  );
  tokenizer.write(html);
  tokenizer.end();
  return {
    at: (position) => {
      let low = 0;
      let high = starts.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if ((starts[middle] ?? 0) <= position) low = middle;
        else high = middle - 1;
      }
      return kinds[low] ?? 'plain';
    },
  };
}
