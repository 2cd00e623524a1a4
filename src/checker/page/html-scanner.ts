import { Tokenizer } from 'htmlparser2';

export type Attributes = ReadonlyMap<string, string>;

export interface HtmlVisitor {
  /** Attributes are collected for these elements only. */
  readonly attributesOf: ReadonlySet<string>;
  open?(name: string, attributes: Attributes): void;
  close?(name: string): void;
  text?(text: string): void;
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
  const opened = (): void => visitor.open?.(name, attributes ?? NONE);
  const tokenizer = new Tokenizer(
    { xmlMode: markup === 'xml', recognizeSelfClosing: isXml, decodeEntities: true },
    {
      ontext: (start, end) => visitor.text?.(html.slice(start, end)),
      ontextentity: (code) => visitor.text?.(String.fromCodePoint(code)),
      onopentagname: (start, end) => {
        name = html.slice(start, end).toLowerCase();
        attributes = visitor.attributesOf.has(name) ? new Map() : undefined;
      },
      onopentagend: opened,
      onselfclosingtag: () => {
        opened();
        if (isXml) visitor.close?.(name);
      },
      onclosetag: (start, end) => visitor.close?.(html.slice(start, end).toLowerCase()),
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
        if (isXml) visitor.text?.(html.slice(start, end - offset));
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
