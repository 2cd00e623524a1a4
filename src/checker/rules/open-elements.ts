import { xmlDocument } from './xml-text.ts';

const MAX_ELEMENTS = 50_000;
const MAX_DEPTH = 500;

/** Thrown inside only: the page has to be read by the parser of the standard. */
export class NotWellNested extends Error {}
export const notWellNested = (): never => {
  throw new NotWellNested();
};

/** Notes where the nodes of a tree stand in the page, in the order in which they begin. */
export interface NodeRecorder {
  /** `from`: null for an element that the page only implies. */
  open(from: number | null): void;
  /** Ends the innermost open element, unless its end is known. */
  close(to: number): void;
  /** The end of an open element whose content continues: `up` elements outside of the innermost one. */
  endsAt(to: number, up: number): void;
  text(from: number, to: number): void;
  comment(from: number, to: number, up: number): void;
}

/** The elements that are open while a page is written as XML, in the order of the document. */
export class OpenElements {
  /** The place at which the tag that is being read begins: elements whose end tag is left out end before it. */
  tagFrom = 0;
  svgDepth = 0;
  private out = '';
  private readonly open: string[] = [];
  private readonly counts = new Map<string, number>();
  private readonly withId = new Set<string>();
  private elements = 0;
  /** Comments after the body belong to the parents of the body. */
  private afterBody = '';
  private afterHtml = '';

  constructor(private readonly recorder: NodeRecorder | null) {}

  get current(): string {
    return this.open[this.open.length - 1] ?? '';
  }

  get parent(): string {
    return this.open[this.open.length - 2] ?? '';
  }

  has(name: string): boolean {
    return (this.counts.get(name) ?? 0) > 0;
  }

  /** An element of which an XPath can ask by `id()`. */
  declareId(element: string): void {
    this.withId.add(element);
  }

  push(name: string, attributes: string, from: number | null = this.tagFrom): void {
    this.count();
    if (this.open.push(name) > MAX_DEPTH) notWellNested();
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
    this.out += `<${name}${attributes}>`;
    this.recorder?.open(from);
  }

  /** An element that the page leaves out, such as the body of a table. */
  imply(name: string): void {
    this.push(name, '', null);
  }

  pop(to = this.tagFrom): void {
    const name = this.open.pop() ?? notWellNested();
    this.counts.set(name, (this.counts.get(name) ?? 1) - 1);
    if (this.svgDepth > 0) this.svgDepth--;
    this.out += `</${name}>`;
    this.recorder?.close(to);
  }

  /** What follows the end tag of the body, or of the page, is still written into them. */
  endsAt(to: number, up: number): void {
    this.recorder?.endsAt(to, up);
  }

  empty(name: string, attributes: string, to: number): void {
    this.count();
    this.out += `<${name}${attributes}/>`;
    this.recorder?.open(this.tagFrom);
    this.recorder?.close(to);
  }

  /** An element whose content is text only, which stands from `from` to `to`. */
  textElement(name: string, attributes: string, content: string, from: number, to: number, end: number): void {
    this.count();
    this.out += `<${name}${attributes}>${content}</${name}>`;
    if (this.recorder === null) return;
    this.recorder.open(this.tagFrom);
    if (to > from) this.recorder.text(from, to);
    this.recorder.close(end);
  }

  text(xml: string, from: number, to: number): void {
    this.out += xml;
    this.recorder?.text(from, to);
  }

  /** `place`: behind the end of the body, or of the page, a comment belongs to what contains them. */
  comment(xml: string, place: 'inside' | 'afterBody' | 'afterHtml', from: number, to: number): void {
    if (place === 'afterBody') this.afterBody += xml;
    else if (place === 'afterHtml') this.afterHtml += xml;
    else this.out += xml;
    this.recorder?.comment(from, to, place === 'inside' ? 0 : place === 'afterBody' ? 1 : 2);
  }

  /** Ends everything; the page as XML. */
  finish(end: number): string {
    while (this.open.length > 0) {
      const isBody = this.current === 'body';
      this.pop(end);
      if (isBody) this.out += this.afterBody;
    }
    return xmlDocument(this.out + this.afterHtml, this.withId);
  }

  private count(): void {
    if (++this.elements > MAX_ELEMENTS) notWellNested();
  }
}
