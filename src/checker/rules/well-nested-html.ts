import { resolveReferences } from './character-references.ts';
import {
  ESCAPABLE_TEXT,
  IN_HEAD,
  PLAIN_SVG_ATTRIBUTE,
  RAW_TEXT,
  SVG,
  SVG_ATTRIBUTES,
  SVG_NAMES,
  TABLE_PARTS,
  VOID,
  endOmitted,
  nestStartTag,
} from './nesting.ts';
import { notWellNested, type NodeRecorder, NotWellNested, OpenElements } from './open-elements.ts';
import { isNamespace, xmlComment, xmlName, xmlText, xmlValue } from './xml-text.ts';

const BLANK = /^[ \t\n\f]*$/;
const TAG_NAME = /[A-Za-z][A-Za-z0-9-]*/y;
const ATTRIBUTE = /[ \t\n\f]+([!#-&(-.0-;?-~]+)(?:[ \t\n\f]*=[ \t\n\f]*(?:"([^"]*)"|'([^']*)'|([^ \t\n\f"'=<>`][^ \t\n\f"'<>`]*)))?/y;
const CLOSING_BRACKET = 62;
const TAG_END = /[ \t\n\f]*(\/?)>/y;
const DOCTYPE = /<!doctype[^>]*>/iy;

type Mode = 'beforeHtml' | 'beforeHead' | 'head' | 'afterHead' | 'body' | 'afterBody' | 'afterHtml';

/**
 * Writes a page as XML while it is scanned, without a tree. Understands pages whose elements nest as written, or whose end tags are left out where that
 * has one meaning; of any other page it knows that it does not understand it.
 */
class WellNested {
  private at = 0;
  private mode: Mode = 'beforeHtml';
  private readonly elements: OpenElements;

  constructor(
    private readonly html: string,
    recorder: NodeRecorder | null,
  ) {
    this.elements = new OpenElements(recorder);
  }

  write(): string {
    const { html } = this;
    while (this.at < html.length) {
      if (html.charCodeAt(this.at) === 60) this.markup();
      else this.characters();
    }
    if (this.mode !== 'body' && this.mode !== 'afterBody' && this.mode !== 'afterHtml') notWellNested();
    return this.elements.finish(html.length);
  }

  private match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.html);
    if (found !== null) this.at = pattern.lastIndex;
    return found;
  }

  /** The slash before the end of a tag, or nothing. Most tags end at once, which is seen without a pattern. */
  private tagEnd(): string {
    if (this.html.charCodeAt(this.at) !== CLOSING_BRACKET) return (this.match(TAG_END) ?? notWellNested())[1] ?? '';
    this.at++;
    return '';
  }

  private characters(): void {
    const next = this.html.indexOf('<', this.at);
    const end = next < 0 ? this.html.length : next;
    const from = this.at;
    const text = this.html.slice(from, end);
    this.at = end;
    const isBlank = BLANK.test(text);
    if (this.mode === 'beforeHtml' || this.mode === 'beforeHead') {
      if (!isBlank) notWellNested();
      return;
    }
    if (!isBlank && (this.mode !== 'body' || TABLE_PARTS.has(this.elements.current))) notWellNested();
    this.elements.text(isBlank ? text : xmlText(resolveReferences(text, false) ?? notWellNested()), from, end);
  }

  private markup(): void {
    const { html } = this;
    this.elements.tagFrom = this.at;
    if (html.startsWith('<!--', this.at)) this.comment();
    else if (html.charCodeAt(this.at + 1) === 47) this.endTag();
    else if (html.charCodeAt(this.at + 1) === 33) {
      if (this.mode !== 'beforeHtml' || this.match(DOCTYPE) === null) notWellNested();
    } else this.startTag();
  }

  private comment(): void {
    const end = this.html.indexOf('-->', this.at + 4);
    const text = this.html.slice(this.at + 4, end);
    if (end < 0 || /^-?>|--!|<!-/.test(text)) notWellNested();
    this.at = end + 3;
    const place = this.mode === 'afterBody' || this.mode === 'afterHtml' ? this.mode : 'inside';
    this.elements.comment(xmlComment(text), place, this.elements.tagFrom, this.at);
  }

  private startTag(): void {
    this.at++;
    const name = (this.match(TAG_NAME) ?? notWellNested())[0].toLowerCase();
    if (this.elements.svgDepth > 0) this.svgTag(name);
    else {
      if (this.mode === 'body') nestStartTag(name, this.elements);
      else this.outsideOfBody(name);
      this.element(name);
    }
  }

  private outsideOfBody(name: string): void {
    const next: Partial<Record<Mode, readonly [string, Mode]>> = {
      beforeHtml: ['html', 'beforeHead'],
      beforeHead: ['head', 'head'],
      afterHead: ['body', 'body'],
    };
    const [expected, mode] = next[this.mode] ?? [];
    if (mode !== undefined && name === expected) this.mode = mode;
    else if (this.mode !== 'head' || !IN_HEAD.has(name)) notWellNested();
  }

  private element(name: string): void {
    const attributes = this.attributes(name, false);
    if (this.tagEnd() !== '' && !VOID.has(name) && name !== 'svg') notWellNested();
    if (name === 'svg') this.svgTagEnd(name, attributes);
    else if (VOID.has(name)) this.elements.empty(name, attributes, this.at);
    else if (RAW_TEXT.has(name) || ESCAPABLE_TEXT.has(name)) this.textElement(name, attributes);
    else {
      this.elements.push(name, attributes);
      if (name === 'pre') this.skipLineEnd();
    }
  }

  /** The first line end in some elements is not part of them. */
  private skipLineEnd(): void {
    const first = this.html.charCodeAt(this.at);
    if (first === 38) notWellNested();
    if (first === 10) this.at++;
  }

  private textElement(name: string, attributes: string): void {
    if (name === 'textarea') this.skipLineEnd();
    const pattern = new RegExp(`</${name}[ \\t\\n\\f]*>|</${name}[ \\t\\n\\f/]`, 'gi');
    pattern.lastIndex = this.at;
    const end = pattern.exec(this.html);
    if (end?.[0].endsWith('>') !== true) return notWellNested();
    const from = this.at;
    const text = this.html.slice(from, end.index);
    if (name === 'script' && text.includes('<!--')) notWellNested();
    this.at = pattern.lastIndex;
    const content = xmlText(ESCAPABLE_TEXT.has(name) ? (resolveReferences(text, false) ?? notWellNested()) : text);
    this.elements.textElement(name, attributes, content, from, end.index, this.at);
  }

  private svgTag(name: string): void {
    const { current } = this.elements;
    if (!SVG.has(name) || current === 'title' || current === 'desc') notWellNested();
    const attributes = this.attributes(SVG_NAMES[name] ?? name, true);
    this.svgTagEnd(SVG_NAMES[name] ?? name, attributes);
  }

  private svgTagEnd(name: string, attributes: string): void {
    const { elements } = this;
    const isClosed = this.html.charCodeAt(this.at - 2) === 47 && elements.svgDepth === 0;
    if (elements.svgDepth > 0 ? this.tagEnd() === '/' : isClosed) {
      elements.empty(name, attributes, this.at);
      return;
    }
    elements.push(name, attributes);
    elements.svgDepth++;
  }

  private attributes(element: string, isSvg: boolean): string {
    if (this.html.charCodeAt(this.at) === CLOSING_BRACKET) return '';
    let written = '';
    const seen = new Set<string>();
    for (let found = this.match(ATTRIBUTE); found !== null; found = this.match(ATTRIBUTE)) {
      const lower = (found[1] ?? '').toLowerCase();
      const inSvg = isSvg || element === 'svg';
      if (inSvg && SVG_ATTRIBUTES[lower] === undefined && !PLAIN_SVG_ATTRIBUTE.has(lower)) notWellNested();
      const name = xmlName(inSvg ? (SVG_ATTRIBUTES[lower] ?? lower) : lower);
      if (isNamespace(name) || seen.has(name)) continue;
      seen.add(name);
      if (name === 'id') this.elements.declareId(element);
      const value = found[2] ?? found[3] ?? found[4] ?? '';
      written += ` ${name}="${xmlValue(resolveReferences(value, true) ?? notWellNested())}"`;
    }
    return written;
  }

  private endTag(): void {
    const { elements } = this;
    this.at += 2;
    const lower = (this.match(TAG_NAME) ?? notWellNested())[0].toLowerCase();
    if (this.tagEnd() !== '') notWellNested();
    const name = elements.svgDepth > 0 ? (SVG_NAMES[lower] ?? lower) : lower;
    if (name === 'head' && this.mode === 'head') this.mode = 'afterHead';
    else if (name === 'body' && this.mode === 'body' && elements.current === 'body') {
      this.mode = 'afterBody';
      elements.endsAt(this.at, 0);
      return;
    } else if (name === 'html' && this.mode === 'afterBody') {
      this.mode = 'afterHtml';
      elements.endsAt(this.at, 1);
      return;
    } else if (this.mode !== 'body') notWellNested();
    endOmitted(name, elements);
    if (elements.current !== name) notWellNested();
    elements.pop(this.at);
  }
}

/** Line ends as the parser of the standard reads them. */
export const withPlainLineEnds = (html: string): string => (html.includes('\r') ? html.replace(/\r\n?/g, '\n') : html);

/**
 * The page as XML, equal to what the parser of the standard makes of it; null if only that parser can tell. In linear time. The places that are recorded
 * are those in the page with plain line ends.
 */
export function wellNestedToXml(html: string, recorder: NodeRecorder | null = null): string | null {
  if (/[\0\ufeff]/.test(html)) return null;
  try {
    return new WellNested(withPlainLineEnds(html), recorder).write();
  } catch (error) {
    if (error instanceof NotWellNested) return null;
    throw error;
  }
}

/** The places of the attributes in the start tag of a recorded element, in the order of the tree. */
export function* attributePlaces(html: string, from: number): Generator<{ readonly from: number; readonly to: number }> {
  TAG_NAME.lastIndex = from + 1;
  if (TAG_NAME.exec(html) === null) return;
  const seen = new Set<string>();
  for (let at = TAG_NAME.lastIndex; ; at = ATTRIBUTE.lastIndex) {
    ATTRIBUTE.lastIndex = at;
    const found = ATTRIBUTE.exec(html);
    if (found === null) return;
    const name = xmlName((found[1] ?? '').toLowerCase());
    if (isNamespace(name) || seen.has(name)) continue;
    seen.add(name);
    yield { from: at + found[0].search(/[^ \t\n\f]/), to: ATTRIBUTE.lastIndex };
  }
}
