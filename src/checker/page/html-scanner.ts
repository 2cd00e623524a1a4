import { Tokenizer } from 'htmlparser2';

export type Attributes = ReadonlyMap<string, string>;

export interface HtmlVisitor {
  /** Attributes are collected for these elements only. */
  readonly attributesOf: ReadonlySet<string>;
  /** `from` and `to`: where it stands in the page, the end excluded; of a close tag its name. */
  open?(name: string, attributes: Attributes, from: number, to: number): void;
  close?(name: string, from: number, to: number): void;
  text?(text: string, from: number, to: number): void;
  comment?(): void;
}

/** `xhtml`: self-closing tags and CDATA. `xml`: in addition, no names or entities of HTML. */
export type MarkupLanguage = 'html' | 'xhtml' | 'xml';

const NONE: Attributes = new Map();
const MAX_ATTRIBUTES = 50;
const MAX_VALUE_LENGTH = 64 * 1024;

/** A streaming scan without a tree: time and memory are linear in the length, however deep the nesting. */
export function scanHtml(html: string, visitor: HtmlVisitor, markup: MarkupLanguage = 'html'): void {
  let name = '';
  let attributes: Map<string, string> | undefined;
  let attribute = '';
  let value = '';
  const isXml = markup !== 'html';
  let tagFrom = 0;
  const opened = (end: number): void => visitor.open?.(name, attributes ?? NONE, tagFrom, end + 1);
  const tokenizer = new Tokenizer(
    { xmlMode: markup === 'xml', recognizeSelfClosing: isXml, decodeEntities: true },
    {
      ontext: (start, end) => visitor.text?.(html.slice(start, end), start, end),
      ontextentity: (code, end) => visitor.text?.(String.fromCodePoint(code), html.lastIndexOf('&', end - 1), end),
      onopentagname: (start, end) => {
        tagFrom = start - 1;
        name = html.slice(start, end).toLowerCase();
        attributes = visitor.attributesOf.has(name) ? new Map() : undefined;
      },
      onopentagend: opened,
      onselfclosingtag: (end) => {
        opened(end);
        if (isXml) visitor.close?.(name, tagFrom, end + 1);
      },
      onclosetag: (start, end) => visitor.close?.(html.slice(start, end).toLowerCase(), start - 2, end),
      onattribname: (start, end) => {
        if (attributes !== undefined) attribute = html.slice(start, end).toLowerCase();
        value = '';
      },
      onattribdata: (start, end) => {
        if (attributes !== undefined && value.length < MAX_VALUE_LENGTH) value += html.slice(start, end);
      },
      onattribentity: (code) => {
        if (attributes !== undefined && value.length < MAX_VALUE_LENGTH) value += String.fromCodePoint(code);
      },
      onattribend: () => {
        if (attributes !== undefined && attributes.size < MAX_ATTRIBUTES && !attributes.has(attribute)) attributes.set(attribute, value);
      },
      oncdata: (start, end, offset) => {
        if (isXml) visitor.text?.(html.slice(start, end - offset), start, end - offset);
      },
      oncomment: () => visitor.comment?.(),
      ondeclaration: () => undefined,
      onprocessinginstruction: () => undefined,
      onend: () => undefined,
    },
  );
  tokenizer.write(html);
  tokenizer.end();
}
