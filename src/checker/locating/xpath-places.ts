import type { Page } from '../page/page.ts';
import { documentToXml } from '../rules/html-to-xml.ts';
import { tooMuchForTree } from '../rules/tree-size.ts';
import { wellNestedToXml, withPlainLineEnds } from '../rules/well-nested-html.ts';
import { type NodePosition, XPathTree } from '../rules/xpath.ts';
import { NodePlaces } from './node-places.ts';
import type { Stretch } from './source-map.ts';
import { parseWithPlaces, SourceTree } from './source-tree.ts';

/** What may follow a part of an expression that is an expression by itself. */
const BOUNDARY = /[/[\]),=!<>|+\s]/;
const CALL = /\s*(?:[a-z][a-z-]*\s*)?\(\s*/y;
/** An operator that lacks its second operand. */
const UNFINISHED = /(?:[/|=<>!+,:@]|[\s)\]](?:and|or|div|mod|-))$/;

/**
 * The beginnings of an XPath, the longest first, then those of the first argument of the function that it calls: one of them is the operand that is compared,
 * or the path up to a step that selects nothing. Brackets and quotes are closed, because the library writes about each invalid expression to standard error.
 */
function* operandsOf(expression: string): Generator<string> {
  for (let from = 0; ;) {
    for (const end of closedEnds(expression, from).reverse()) {
      const operand = expression.slice(from, end).trim();
      if (operand !== '' && !UNFINISHED.test(operand)) yield operand;
    }
    CALL.lastIndex = from;
    if (CALL.exec(expression) === null) return;
    from = CALL.lastIndex;
  }
}

/** The places outside of brackets and quotes at which a part that begins at `from` may end. */
function closedEnds(expression: string, from: number): number[] {
  const ends: number[] = [];
  let [depth, quote] = [0, ''];
  for (let at = from; at < expression.length; at++) {
    const char = expression.charAt(at);
    if (quote !== '') quote = char === quote ? '' : quote;
    else {
      if (depth === 0 && BOUNDARY.test(char)) ends.push(at);
      // The end of the argument.
      if (depth === 0 && char === ',') return ends;
      if (char === '"' || char === "'") quote = char;
      else if (char === '(' || char === '[') depth++;
      else if ((char === ')' || char === ']') && --depth < 0) return ends;
    }
  }
  return depth === 0 && quote === '' ? [...ends, expression.length] : ends;
}

/** The limits of a page that only the parser of the standard can read: a larger tree with places does not fit into the memory of a worker thread. */
const MAX_CHARACTERS = 2 * 1024 * 1024;
const MAX_ELEMENTS = 20_000;
/** The most parts of an expression that are tried, of which there may be hundreds. */
const MAX_TRIES = 32;

/** A page as the judgement reads it, and the places of its nodes. */
interface PlacedTree {
  readonly xml: string;
  readonly placeOf: (position: NodePosition) => Stretch | null;
}

/**
 * The place in a page of the first node that each XPath selects; when the XPath does not hold, of the node that it was compared with, or of the last one on
 * its path. Null without such a node. The tree is that of the judgement, read again with the places of its nodes.
 */
export function xpathPlaces(page: Page, expressions: readonly string[]): readonly (Stretch | null)[] {
  const none = expressions.map(() => null);
  const placed = page.cut ? null : (wellNestedTree(page.html) ?? standardTree(page.html));
  if (placed === null) return none;
  let tree: XPathTree;
  try {
    tree = new XPathTree(placed.xml);
  } catch {
    // Nested too deep, as for the judgement.
    return none;
  }
  try {
    return expressions.map((expression) => {
      const position = decidingNode(tree, expression);
      return position === null ? null : placed.placeOf(position);
    });
  } finally {
    tree.close();
  }
}

/** Null for a page that only the parser of the standard can read. */
export function wellNestedTree(html: string): PlacedTree | null {
  const places = new NodePlaces();
  const xml = wellNestedToXml(html, places);
  if (xml === null) return null;
  const asSent = placesAsSent(html);
  const plain = withPlainLineEnds(html);
  return {
    xml,
    placeOf: (position) => {
      const place = places.placeOf(position, plain);
      return place === null ? null : asSent(place);
    },
  };
}

/** Null for a page that is too large. */
export function standardTree(html: string): PlacedTree | null {
  if (html.length > MAX_CHARACTERS || tooMuchForTree(html, MAX_ELEMENTS) !== null) return null;
  const document = parseWithPlaces(html);
  const source = new SourceTree(document);
  return { xml: documentToXml(document), placeOf: (position) => source.placeOf(position) };
}

function decidingNode(tree: XPathTree, expression: string): NodePosition | null {
  const { kind } = tree.test(expression);
  if (kind === 'invalid') return null;
  let tries = 0;
  for (const operand of operandsOf(expression)) {
    const node = tree.firstNode(operand);
    if (node === undefined) continue;
    // An XPath that holds may hold because this selects nothing.
    if (node !== null || kind === 'holds' || ++tries === MAX_TRIES) return node;
  }
  return null;
}

/** Translates places in a page with plain line ends into places in the page as it was sent. */
function placesAsSent(html: string): (place: Stretch) => Stretch {
  /** The places in the plain page of the line feeds that were two characters, ascending. */
  const joined: number[] = [];
  for (let at = html.indexOf('\r\n'); at >= 0; at = html.indexOf('\r\n', at + 2)) joined.push(at - joined.length);
  const sent = (index: number): number => {
    let [low, high] = [0, joined.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((joined[middle] ?? 0) < index) low = middle + 1;
      else high = middle;
    }
    return index + low;
  };
  return joined.length === 0 ? (place) => place : ({ from, to }) => ({ from: sent(from), to: sent(to) });
}
