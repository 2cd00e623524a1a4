import type { Page } from '../page/page.ts';
import { documentToXml } from '../rules/html-to-xml.ts';
import { tooMuchForTree } from '../rules/tree-size.ts';
import { type NodePosition, XPathTree } from '../rules/xpath.ts';
import type { Stretch } from './located-facts.ts';
import { operandsOf } from './xpath-operands.ts';
import { parseWithPlaces, SourceTree } from './source-tree.ts';

/** Of a page, beyond which the places do not fit into the memory of a worker thread: evidence is answered all the same. */
const MAX_CHARACTERS = 2 * 1024 * 1024;
const MAX_ELEMENTS = 20_000;
/** In all, as an expression may have hundreds of parts. */
const MAX_TRIES = 32;

/**
 * Where the first node that each XPath selects stands in a page; where the XPath does not hold, the node that it was compared with, or the last one on its
 * path. Null without such a node. The tree is that of the judgement, parsed again with the places of its nodes.
 */
export function xpathPlaces(page: Page, expressions: readonly string[]): readonly (Stretch | null)[] {
  const none = expressions.map(() => null);
  if (page.cut || page.html.length > MAX_CHARACTERS || tooMuchForTree(page.html, MAX_ELEMENTS) !== null) return none;
  const document = parseWithPlaces(page.html);
  let tree: XPathTree;
  try {
    tree = new XPathTree(documentToXml(document));
  } catch {
    // Nested too deep, as for the judgement.
    return none;
  }
  try {
    const source = new SourceTree(document);
    return expressions.map((expression) => {
      const position = decidingNode(tree, expression);
      return position === null ? null : source.placeOf(position);
    });
  } finally {
    tree.close();
  }
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
