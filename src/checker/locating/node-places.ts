import type { NodeRecorder } from '../rules/open-elements.ts';
import { attributePlaces } from '../rules/well-nested-html.ts';
import type { NodePosition } from '../rules/xpath.ts';
import type { Stretch } from './source-map.ts';

const FIELDS = 4;
const IMPLIED = -1;
const TEXT = 0;
const COMMENT = -1;

/** The places of the nodes of a well-nested page, noted while it is written as XML. A few integers a node: a tree would not fit into the memory of a worker. */
export class NodePlaces implements NodeRecorder {
  /** Four integers a node, in the order of the document: number of its parent, begin, end, own number; a text is 0, a comment -1. */
  private nodes = new Int32Array(FIELDS * 1024);
  private count = 0;
  /** The node of each element, by the element's number from 1. */
  private readonly elements: number[] = [-1];
  /** Numbers of the open elements, the document first. */
  private readonly stack: number[] = [0];

  open(from: number | null): void {
    const number = this.elements.length;
    this.elements.push(this.add(this.innermost(0), from ?? IMPLIED, IMPLIED, number));
    this.stack.push(number);
  }

  close(to: number): void {
    const at = FIELDS * (this.elements[this.stack.pop() ?? 0] ?? 0) + 2;
    if (this.nodes[at] === IMPLIED) this.nodes[at] = to;
  }

  endsAt(to: number, up: number): void {
    this.nodes[FIELDS * (this.elements[this.innermost(up)] ?? 0) + 2] = to;
  }

  text(from: number, to: number): void {
    this.add(this.innermost(0), from, to, TEXT);
  }

  comment(from: number, to: number, up: number): void {
    this.add(this.innermost(up), from, to, COMMENT);
  }

  /** An element that the page only implies stands where its content does. */
  placeOf({ element, child, attribute }: NodePosition, html: string): Stretch | null {
    if (child !== undefined) return this.joinedChildren(element)[child] ?? null;
    const node = this.elements[element] ?? -1;
    if (node < 0) return null;
    const from = this.nodes[FIELDS * node + 1] ?? 0;
    if (from === IMPLIED) return this.placeOfContent(element);
    if (attribute !== undefined) for (const [nth, place] of [...attributePlaces(html, from)].entries()) if (nth === attribute) return place;
    return { from, to: this.nodes[FIELDS * node + 2] ?? 0 };
  }

  /** The children as a parser of XML reads them: texts side by side are one. */
  private joinedChildren(parent: number): readonly (Stretch | null)[] {
    const joined: (Stretch | null)[] = [];
    let textBefore: Stretch | null = null;
    for (const { from, to, number } of this.children(parent)) {
      const isText = number === TEXT;
      if (isText && textBefore !== null) joined.pop();
      const place: Stretch | null =
        number > 0 ? this.placeOf({ element: number }, '') : { from: isText && textBefore !== null ? textBefore.from : from, to };
      joined.push(place);
      textBefore = isText ? place : null;
    }
    return joined;
  }

  private placeOfContent(parent: number): Stretch | null {
    let [begin, end] = [Infinity, -1];
    for (const place of this.joinedChildren(parent))
      if (place !== null) [begin, end] = [Math.min(begin, place.from), Math.max(end, place.to)];
    return end < 0 ? null : { from: begin, to: end };
  }

  private *children(parent: number): Generator<Stretch & { readonly number: number }> {
    for (let at = 0; at < FIELDS * this.count; at += FIELDS) {
      if (this.nodes[at] !== parent) continue;
      yield { from: this.nodes[at + 1] ?? 0, to: this.nodes[at + 2] ?? 0, number: this.nodes[at + 3] ?? 0 };
    }
  }

  private innermost(up: number): number {
    return this.stack[this.stack.length - 1 - up] ?? 0;
  }

  private add(parent: number, from: number, to: number, number: number): number {
    if (FIELDS * this.count === this.nodes.length) {
      const grown = new Int32Array(this.nodes.length * 2);
      grown.set(this.nodes);
      this.nodes = grown;
    }
    const at = FIELDS * this.count;
    this.nodes[at] = parent;
    this.nodes[at + 1] = from;
    this.nodes[at + 2] = to;
    this.nodes[at + 3] = number;
    return this.count++;
  }
}
