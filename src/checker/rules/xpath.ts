import { ParseOption, XmlDocument, XmlXPath } from 'libxml2-wasm';
import { LONGEST_EXPRESSION } from './patterns.ts';

/** Parsed as it is: nothing is fetched, no entity of the page is known, and depth was bounded before. */
const FLAGS =
  ParseOption.XML_PARSE_NOERROR |
  ParseOption.XML_PARSE_NOWARNING |
  ParseOption.XML_PARSE_NONET |
  ParseOption.XML_PARSE_NO_XXE |
  ParseOption.XML_PARSE_HUGE;
// eslint-disable-next-line @typescript-eslint/no-unsafe-enum-assignment -- flags that are joined are no member of their enum, though the library takes them
const OPTIONS = FLAGS as ParseOption;

export type XPathResult =
  { readonly kind: 'holds' } | { readonly kind: 'fails'; readonly found: string } | { readonly kind: 'invalid'; readonly reason: string };

const invalid = (error: unknown): XPathResult => {
  const message = error instanceof Error ? error.message : String(error);
  const why = /: ([A-Z][a-z][^:]*: [^:]+)$/.exec(message)?.[1];
  return {
    kind: 'invalid',
    reason: why === undefined ? 'it is no XPath 1.0 expression' : why.toLowerCase().slice(0, 1) + why.slice(1, 100),
  };
};

/** A page as a tree; to be closed, for its memory is not the garbage collector's. */
export class XPathTree {
  private readonly document: XmlDocument;

  constructor(xml: string) {
    this.document = XmlDocument.fromString(xml, { option: OPTIONS });
  }

  /** True by XPath's own `boolean()`: a node, a number but 0, a text with characters. */
  test(expression: string): XPathResult {
    if (Buffer.byteLength(expression) > LONGEST_EXPRESSION) return { kind: 'invalid', reason: 'it is longer than 1 KiB' };
    const compiled: XmlXPath[] = [];
    try {
      // Alone first: `1) or (1` is an expression only inside of parentheses.
      const bare = XmlXPath.compile(expression);
      compiled.push(bare);
      const wrapped = XmlXPath.compile(`boolean(${expression})`);
      compiled.push(wrapped);
      return this.document.eval(wrapped) === true ? { kind: 'holds' } : { kind: 'fails', found: inWords(this.document.eval(bare)) };
    } catch (error) {
      return invalid(error);
    } finally {
      for (const one of compiled) one.dispose();
    }
  }

  close(): void {
    this.document.dispose();
  }
}

function inWords(result: unknown): string {
  if (Array.isArray(result)) return 'but it finds no node';
  if (result === '') return 'but it is an empty text';
  return `but it is ${String(result)}`;
}

/** Whether an expression can be evaluated at all: names of functions, prefixes and variables show only then. */
export function xpathProblem(expression: string): string | null {
  const tree = new XPathTree('<html><body><p>a</p></body></html>');
  try {
    const result = tree.test(expression);
    return result.kind === 'invalid' ? result.reason : null;
  } finally {
    tree.close();
  }
}
