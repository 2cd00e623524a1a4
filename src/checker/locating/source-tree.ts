import { defaultTreeAdapter as is, type DefaultTreeAdapterTypes, parse } from 'parse5';
import { sourceName } from '../rules/html-to-xml.ts';
import { isNamespace, xmlName } from '../rules/xml-text.ts';
import type { NodePosition } from '../rules/xpath.ts';
import type { Stretch } from './source-map.ts';

type Document = DefaultTreeAdapterTypes.Document;
type Element = DefaultTreeAdapterTypes.Element;
type ChildNode = DefaultTreeAdapterTypes.ChildNode;

/** Updates places instead of copying them, as the parser asks for it after every word of a text. */
const treeAdapter: typeof is = {
  ...is,
  updateNodeSourceCodeLocation: (node, end) => {
    if (node.sourceCodeLocation === undefined || node.sourceCodeLocation === null) return;
    Object.assign(node.sourceCodeLocation, end);
  },
};

export const parseWithPlaces = (html: string): Document => parse(html, { sourceCodeLocationInfo: true, treeAdapter });

/** The tree of a page with the places of its nodes. */
export class SourceTree {
  private readonly elements: Element[] = [];

  constructor(private readonly document: Document) {
    const waiting: ChildNode[] = [...document.childNodes].reverse();
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      if (!is.isElementNode(node)) continue;
      this.elements.push(node);
      for (let nth = node.childNodes.length - 1; nth >= 0; nth--) {
        const child = node.childNodes[nth];
        if (child !== undefined) waiting.push(child);
      }
    }
  }

  /** An element that the page only implies stands where its content does. */
  placeOf({ element: number, child, attribute }: NodePosition): Stretch | null {
    const element = number === 0 ? this.document : this.elements[number - 1];
    if (element === undefined) return null;
    if (child !== undefined) return placeOfAll(joinedChildren(element)[child] ?? []);
    if (!('attrs' in element)) return null;
    return (attribute === undefined ? null : placeOfAttribute(element, attribute)) ?? placeOfNode(element);
  }
}

/** As a parser of XML reads them: texts side by side are one. */
function joinedChildren(element: Document | Element): ChildNode[][] {
  const joined: ChildNode[][] = [];
  for (const node of element.childNodes) {
    const last = joined.at(-1)?.at(-1);
    if (is.isTextNode(node) && last !== undefined && is.isTextNode(last)) joined.at(-1)?.push(node);
    else if (is.isTextNode(node) || is.isElementNode(node) || is.isCommentNode(node)) joined.push([node]);
  }
  return joined;
}

/** By the attributes that are part of the tree. An attribute of a repeated start tag of `html` or `body` has no place. */
function placeOfAttribute({ attrs, sourceCodeLocation }: Element, index: number): Stretch | null {
  const names = new Map<string, string>();
  for (const attr of attrs) {
    const name = xmlName(sourceName(attr));
    // The tokenizer notes places by the names as they stand in HTML, in lower case.
    if (!isNamespace(name) && !names.has(name)) names.set(name, sourceName(attr).toLowerCase());
  }
  const name = [...names.values()][index];
  const place = name === undefined ? undefined : sourceCodeLocation?.attrs?.[name];
  return place === undefined ? null : { from: place.startOffset, to: place.endOffset };
}

function placeOfNode(node: ChildNode): Stretch | null {
  const place = node.sourceCodeLocation;
  if (place !== null && place !== undefined) return { from: place.startOffset, to: place.endOffset };
  return is.isElementNode(node) ? placeOfAll(node.childNodes) : null;
}

function placeOfAll(nodes: readonly ChildNode[]): Stretch | null {
  let [from, to] = [Infinity, -1];
  for (const node of nodes) {
    const place = placeOfNode(node);
    if (place !== null) [from, to] = [Math.min(from, place.from), Math.max(to, place.to)];
  }
  return to < 0 ? null : { from, to };
}
