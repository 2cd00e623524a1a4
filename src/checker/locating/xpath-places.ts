import type { Page } from '../page/page.ts';
import { documentToXml } from '../rules/html-to-xml.ts';
import { tooMuchForTree } from '../rules/tree-size.ts';
import { wellNestedToXml, withPlainLineEnds } from '../rules/well-nested-html.ts';
import { type NodePosition, XPathTree } from '../rules/xpath.ts';
import { placesAsSent } from './line-ends.ts';
import { NodePlaces } from './node-places.ts';
import type { Stretch } from './source-map.ts';
import { operandsOf } from './xpath-operands.ts';
import { parseWithPlaces, SourceTree } from './source-tree.ts';

/** Of a page that only the parser of the standard can read, beyond which its tree with places does not fit into the memory of a worker thread. */
const MAX_CHARACTERS = 2 * 1024 * 1024;
const MAX_ELEMENTS = 20_000;
/** In all, as an expression may have hundreds of parts. */
const MAX_TRIES = 32;

/** A page as the judgement reads it, and the places of its nodes. */
interface PlacedTree {
  readonly xml: string;
  readonly placeOf: (position: NodePosition) => Stretch | null;
}

/**
 * Where the first node that each XPath selects stands in a page; where the XPath does not hold, the node that it was compared with, or the last one on its
 * path. Null without such a node. The tree is that of the judgement, read again with the places of its nodes.
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
