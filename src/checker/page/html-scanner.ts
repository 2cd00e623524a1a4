import { Tokenizer } from 'htmlparser2';

export type Attributes = ReadonlyMap<string, string>;

export interface HtmlVisitor {
  /** Attributes are gathered for these elements only. */
  readonly attributesOf: ReadonlySet<string>;
  open?(name: string, attributes: Attributes): void;
  close?(name: string): void;
  text?(text: string): void;
  comment?(): void;
}

const NONE: Attributes = new Map();
const MOST_ATTRIBUTES = 50;
/** An entity without end is none. */
const LONGEST_VALUE = 64 * 1024;

/** Walks over HTML token by token, without a tree: time and memory grow with its length and with nothing else, however deep it is nested. */
export function scanHtml(html: string, visitor: HtmlVisitor): void {
  let name = '';
  let attributes: Map<string, string> | undefined;
  let attribute = '';
  let value = '';
  const opened = (): void => visitor.open?.(name, attributes ?? NONE);
  const tokenizer = new Tokenizer(
    { xmlMode: false, decodeEntities: true },
    {
      ontext: (start, end) => visitor.text?.(html.slice(start, end)),
      ontextentity: (code) => visitor.text?.(String.fromCodePoint(code)),
      onopentagname: (start, end) => {
        name = html.slice(start, end).toLowerCase();
        attributes = visitor.attributesOf.has(name) ? new Map() : undefined;
      },
      onopentagend: opened,
      onselfclosingtag: opened,
      onclosetag: (start, end) => visitor.close?.(html.slice(start, end).toLowerCase()),
      onattribname: (start, end) => {
        if (attributes !== undefined) attribute = html.slice(start, end).toLowerCase();
        value = '';
      },
      onattribdata: (start, end) => {
        if (attributes !== undefined && value.length < LONGEST_VALUE) value += html.slice(start, end);
      },
      onattribentity: (code) => {
        if (attributes !== undefined && value.length < LONGEST_VALUE) value += String.fromCodePoint(code);
      },
      onattribend: () => {
        if (attributes !== undefined && attributes.size < MOST_ATTRIBUTES && !attributes.has(attribute)) attributes.set(attribute, value);
      },
      oncdata: () => undefined,
      oncomment: () => visitor.comment?.(),
      ondeclaration: () => undefined,
      onprocessinginstruction: () => undefined,
      onend: () => undefined,
    },
  );
  tokenizer.write(html);
  tokenizer.end();
}
