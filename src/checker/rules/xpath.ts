import { ParseOption, XmlDocument, XmlXPath } from 'libxml2-wasm';
import { MAX_EXPRESSION } from './patterns.ts';

/** No network access and no entities of the page; the depth was limited before. */
const FLAGS =
  ParseOption.XML_PARSE_NOERROR |
  ParseOption.XML_PARSE_NOWARNING |
  ParseOption.XML_PARSE_NONET |
  ParseOption.XML_PARSE_NO_XXE |
  ParseOption.XML_PARSE_HUGE;
// eslint-disable-next-line @typescript-eslint/no-unsafe-enum-assignment -- joined flags are not a member of the enum, although the library accepts them
const OPTIONS = FLAGS as ParseOption;

export type XPathResult =
  { readonly kind: 'holds' } | { readonly kind: 'fails'; readonly found: string } | { readonly kind: 'invalid'; readonly reason: string };

const invalid = (error: unknown): XPathResult => {
  const message = error instanceof Error ? error.message : String(error);
  const why = /: ([A-Z][a-z][^:]*: [^:]+)$/.exec(message)?.[1];
  return {
    kind: 'invalid',
    reason: why === undefined ? 'it is not a valid XPath 1.0 expression' : why.toLowerCase().slice(0, 1) + why.slice(1, 100),
  };
};

/** A page as a tree; must be closed, because its memory is not garbage collected. */
export class XPathTree {
  private readonly document: XmlDocument;

  constructor(xml: string) {
    // Node encodes text in a tenth of the time that the library takes.
    this.document = XmlDocument.fromBuffer(Buffer.from(xml), { option: OPTIONS });
  }

  /** By XPath's `boolean()`: a node, a number other than 0, or a non-empty text. */
  test(expression: string): XPathResult {
    if (Buffer.byteLength(expression) > MAX_EXPRESSION) return { kind: 'invalid', reason: 'it is longer than 1 KiB' };
    const compiled: XmlXPath[] = [];
    try {
      // Compiled alone first, because `1) or (1` is valid only inside the parentheses.
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

/** Evaluates an expression, because unknown functions, prefixes and variables are reported only then. */
export function xpathProblem(expression: string): string | null {
  const tree = new XPathTree('<html><body><p>a</p></body></html>');
  try {
    const result = tree.test(expression);
    return result.kind === 'invalid' ? result.reason : null;
  } finally {
    tree.close();
  }
}
