import { ParseOption, XmlAttribute, XmlDocument, XmlElement, type XmlNode, XmlTreeNode, XmlXPath } from 'libxml2-wasm';
import { MAX_EXPRESSION } from './patterns.ts';

/** No network access and no entities of the page; the depth was limited before. */
const FLAGS =
  ParseOption.XML_PARSE_NOERROR |
  ParseOption.XML_PARSE_NOWARNING |
  ParseOption.XML_PARSE_NONET |
  ParseOption.XML_PARSE_NO_XXE |
  ParseOption.XML_PARSE_HUGE;
// Joined flags are not a member of the enum, although the library accepts them.
const OPTIONS = FLAGS as ParseOption;

export type XPathResult =
  | { readonly kind: 'holds' }
  | { readonly kind: 'fails'; readonly found: string }
  | { readonly kind: 'invalid'; readonly reason: string };

/** A node by its place in the tree, for a reader that has the same tree with the places in the source. */
export interface NodePosition {
  /** The element, or the one that the node belongs to: its number in the order of the document, from 1; 0 is the document. */
  readonly element: number;
  /** Index among the children or the attributes of that element; null for the element itself. */
  readonly child?: number;
  readonly attribute?: number;
}

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

  /** The first node that an expression selects, in the order of the document; null if it selects none, undefined if it does not select nodes. */
  firstNode(expression: string): NodePosition | null | undefined {
    const compiled: XmlXPath[] = [];
    try {
      const bare = XmlXPath.compile(expression);
      compiled.push(bare);
      const found = this.document.eval(bare);
      if (!Array.isArray(found) || found.length === 0) return Array.isArray(found) ? null : undefined;
      const first = XmlXPath.compile(`(${expression})[1]`);
      compiled.push(first);
      // The library does not order what it finds.
      const [node] = this.document.find(first);
      return node === undefined ? null : positionOf(node);
    } catch {
      return undefined;
    } finally {
      for (const one of compiled) one.dispose();
    }
  }

  close(): void {
    this.document.dispose();
  }
}

function positionOf(node: XmlNode): NodePosition | null {
  if (node instanceof XmlElement) return { element: numberOf(node) };
  if (node instanceof XmlAttribute) {
    const { parent } = node;
    if (parent === null) return null;
    return { element: numberOf(parent), attribute: parent.attrs.findIndex((one) => one.isSameNode(node)) };
  }
  if (node instanceof XmlTreeNode) return { element: numberOf(node.parent), child: Number(node.eval('count(preceding-sibling::node())')) };
  return null;
}

/** Two counts, because a union compares each node with each. */
const numberOf = (element: XmlNode | null): number =>
  element instanceof XmlElement ? Number(element.eval('count(preceding::*) + count(ancestor-or-self::*)')) : 0;

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
