import {
  BLOCKS,
  CELLS,
  ESCAPABLE_TEXT,
  HEADINGS,
  IN_HEAD,
  ITEMS,
  NOT_IN_THEMSELVES,
  IN_TABLE,
  KNOWN,
  PLAIN_SVG_ATTRIBUTE,
  RAW_TEXT,
  ROW_GROUPS,
  SVG,
  SVG_ATTRIBUTES,
  SVG_NAMES,
  TABLE_PARTS,
  VOID,
} from './nesting.ts';
import { resolveReferences } from './character-references.ts';
import { isNamespace, xmlComment, xmlDocument, xmlName, xmlText, xmlValue } from './xml-text.ts';

const MAX_ELEMENTS = 50_000;
const MAX_DEPTH = 500;

const BLANK = /^[ \t\n\f]*$/;
const TAG_NAME = /[A-Za-z][A-Za-z0-9-]*/y;
const ATTRIBUTE = /[ \t\n\f]+([!#-&(-.0-;?-~]+)(?:[ \t\n\f]*=[ \t\n\f]*(?:"([^"]*)"|'([^']*)'|([^ \t\n\f"'=<>`][^ \t\n\f"'<>`]*)))?/y;
const TAG_END = /[ \t\n\f]*(\/?)>/y;
const DOCTYPE = /<!doctype[^>]*>/iy;

/** Thrown inside only: the page has to be read by the parser of the standard. */
class NotWellNested extends Error {}
const giveUp = (): never => {
  throw new NotWellNested();
};

type Mode = 'beforeHtml' | 'beforeHead' | 'head' | 'afterHead' | 'body' | 'afterBody' | 'afterHtml';

/**
 * Writes a page as XML while it is scanned, without a tree. Understands pages whose elements nest as written, or whose end tags are left out where that
 * has one meaning; of any other page it knows that it does not understand it.
 */
class WellNested {
  private at = 0;
  private mode: Mode = 'beforeHtml';
  private out = '';
  private readonly open: string[] = [];
  private readonly counts = new Map<string, number>();
  private readonly withId = new Set<string>();
  private svgDepth = 0;
  private elements = 0;
  /** Comments after the body belong to the parents of the body. */
  private afterBody = '';
  private afterHtml = '';

  constructor(private readonly html: string) {}

  write(): string {
    const { html } = this;
    while (this.at < html.length) {
      if (html.charCodeAt(this.at) === 60) this.markup();
      else this.characters();
    }
    if (this.mode !== 'body' && this.mode !== 'afterBody' && this.mode !== 'afterHtml') giveUp();
    for (let name = this.open.pop(); name !== undefined; name = this.open.pop()) {
      this.out += `</${name}>`;
      if (name === 'body') this.out += this.afterBody;
    }
    return xmlDocument(this.out + this.afterHtml, this.withId);
  }

  private get current(): string {
    return this.open[this.open.length - 1] ?? '';
  }

  private has(name: string): boolean {
    return (this.counts.get(name) ?? 0) > 0;
  }

  private match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.html);
    if (found !== null) this.at = pattern.lastIndex;
    return found;
  }

  private characters(): void {
    const next = this.html.indexOf('<', this.at);
    const end = next < 0 ? this.html.length : next;
    const text = this.html.slice(this.at, end);
    this.at = end;
    const isBlank = BLANK.test(text);
    if (this.mode === 'beforeHtml' || this.mode === 'beforeHead') {
      if (!isBlank) giveUp();
      return;
    }
    if (!isBlank && (this.mode !== 'body' || TABLE_PARTS.has(this.current))) giveUp();
    this.out += isBlank ? text : xmlText(resolveReferences(text, false) ?? giveUp());
  }

  private markup(): void {
    const { html } = this;
    if (html.startsWith('<!--', this.at)) this.comment();
    else if (html.charCodeAt(this.at + 1) === 47) this.endTag();
    else if (html.charCodeAt(this.at + 1) === 33) {
      if (this.mode !== 'beforeHtml' || this.match(DOCTYPE) === null) giveUp();
    } else this.startTag();
  }

  private comment(): void {
    const end = this.html.indexOf('-->', this.at + 4);
    const text = this.html.slice(this.at + 4, end);
    if (end < 0 || /^-?>|--!|<!-/.test(text)) giveUp();
    this.at = end + 3;
    const comment = xmlComment(text);
    if (this.mode === 'afterBody') this.afterBody += comment;
    else if (this.mode === 'afterHtml') this.afterHtml += comment;
    else this.out += comment;
  }

  private startTag(): void {
    this.at++;
    const name = (this.match(TAG_NAME) ?? giveUp())[0].toLowerCase();
    if (this.svgDepth > 0) this.svgTag(name);
    else {
      this.prepare(name);
      this.element(name);
    }
  }

  /** Ends what the start tag ends, and opens what it implies. */
  private prepare(name: string): void {
    if (this.mode !== 'body') {
      this.outsideOfBody(name);
      return;
    }
    const { current } = this;
    if (IN_TABLE.has(name)) {
      this.tablePart(name);
      return;
    }
    if (TABLE_PARTS.has(current) || current === 'colgroup') giveUp();
    const lists = ITEMS[name];
    if (this.has('select') && name !== 'option' && name !== 'optgroup') giveUp();
    if (lists !== undefined) this.item(name, lists);
    else if (this.has('p') && BLOCKS.has(name)) {
      if (current !== 'p' || name === 'table') giveUp();
      this.pop();
    }
    if (NOT_IN_THEMSELVES.has(name) && this.has(name)) giveUp();
    if (HEADINGS.has(name) && HEADINGS.has(this.current)) giveUp();
    if (!KNOWN.has(name) && lists === undefined) giveUp();
  }

  private outsideOfBody(name: string): void {
    const next: Partial<Record<Mode, readonly [string, Mode]>> = {
      beforeHtml: ['html', 'beforeHead'],
      beforeHead: ['head', 'head'],
      afterHead: ['body', 'body'],
    };
    const [expected, mode] = next[this.mode] ?? [];
    if (mode !== undefined && name === expected) this.mode = mode;
    else if (this.mode !== 'head' || !IN_HEAD.has(name)) giveUp();
  }

  private item(name: string, lists: ReadonlySet<string>): void {
    const siblings = name === 'dd' || name === 'dt' ? ['dd', 'dt'] : [name];
    const parent = this.open[this.open.length - 2] ?? '';
    if (this.current === 'p' && siblings.includes(parent)) this.pop();
    if (name === 'optgroup' && this.current === 'option') this.pop();
    if (siblings.includes(this.current)) this.pop();
    if (!lists.has(this.current) || this.has('p')) giveUp();
  }

  private tablePart(name: string): void {
    if (CELLS.has(name)) {
      if (CELLS.has(this.current)) this.pop();
      if (this.current === 'table') this.push('tbody', '');
      if (ROW_GROUPS.has(this.current)) this.push('tr', '');
      if (this.current !== 'tr') giveUp();
    } else if (name === 'tr') {
      if (CELLS.has(this.current)) this.pop();
      if (this.current === 'tr') this.pop();
      if (this.current === 'table') this.push('tbody', '');
      if (!ROW_GROUPS.has(this.current)) giveUp();
    } else if (name === 'col') {
      if (this.current !== 'colgroup') giveUp();
    } else if (this.current !== 'table') giveUp();
  }

  private element(name: string): void {
    const attributes = this.attributes(name, false);
    if ((this.match(TAG_END) ?? giveUp())[1] !== '' && !VOID.has(name) && name !== 'svg') giveUp();
    if (name === 'svg') this.svgTagEnd(name, attributes);
    else if (VOID.has(name)) {
      this.count();
      this.out += `<${name}${attributes}/>`;
    } else if (RAW_TEXT.has(name) || ESCAPABLE_TEXT.has(name)) this.textElement(name, attributes);
    else {
      this.push(name, attributes);
      if (name === 'pre') this.skipLineEnd();
    }
  }

  /** The first line end in some elements is not part of them. */
  private skipLineEnd(): void {
    const first = this.html.charCodeAt(this.at);
    if (first === 38) giveUp();
    if (first === 10) this.at++;
  }

  private textElement(name: string, attributes: string): void {
    if (name === 'textarea') this.skipLineEnd();
    const pattern = new RegExp(`</${name}[ \\t\\n\\f]*>|</${name}[ \\t\\n\\f/]`, 'gi');
    pattern.lastIndex = this.at;
    const end = pattern.exec(this.html);
    if (end?.[0].endsWith('>') !== true) return giveUp();
    const text = this.html.slice(this.at, end.index);
    if (name === 'script' && text.includes('<!--')) giveUp();
    this.at = pattern.lastIndex;
    this.count();
    this.out += `<${name}${attributes}>${xmlText(ESCAPABLE_TEXT.has(name) ? (resolveReferences(text, false) ?? giveUp()) : text)}</${name}>`;
  }

  private svgTag(name: string): void {
    if (!SVG.has(name) || this.current === 'title' || this.current === 'desc') giveUp();
    const attributes = this.attributes(SVG_NAMES[name] ?? name, true);
    this.svgTagEnd(SVG_NAMES[name] ?? name, attributes);
  }

  private svgTagEnd(name: string, attributes: string): void {
    const isClosed = this.html.charCodeAt(this.at - 2) === 47 && this.svgDepth === 0;
    if (this.svgDepth > 0 ? (this.match(TAG_END) ?? giveUp())[1] === '/' : isClosed) {
      this.count();
      this.out += `<${name}${attributes}/>`;
      return;
    }
    this.push(name, attributes);
    this.svgDepth++;
  }

  private attributes(element: string, isSvg: boolean): string {
    let written = '';
    const seen = new Set<string>();
    for (let found = this.match(ATTRIBUTE); found !== null; found = this.match(ATTRIBUTE)) {
      const lower = (found[1] ?? '').toLowerCase();
      const inSvg = isSvg || element === 'svg';
      if (inSvg && SVG_ATTRIBUTES[lower] === undefined && !PLAIN_SVG_ATTRIBUTE.has(lower)) giveUp();
      const name = xmlName(inSvg ? (SVG_ATTRIBUTES[lower] ?? lower) : lower);
      if (isNamespace(name) || seen.has(name)) continue;
      seen.add(name);
      if (name === 'id') this.withId.add(element);
      const value = found[2] ?? found[3] ?? found[4] ?? '';
      written += ` ${name}="${xmlValue(resolveReferences(value, true) ?? giveUp())}"`;
    }
    return written;
  }

  private endTag(): void {
    this.at += 2;
    const lower = (this.match(TAG_NAME) ?? giveUp())[0].toLowerCase();
    if ((this.match(TAG_END) ?? giveUp())[1] !== '') giveUp();
    const name = this.svgDepth > 0 ? (SVG_NAMES[lower] ?? lower) : lower;
    if (name === 'head' && this.mode === 'head') this.mode = 'afterHead';
    else if (name === 'body' && this.mode === 'body' && this.current === 'body') {
      this.mode = 'afterBody';
      return;
    } else if (name === 'html' && this.mode === 'afterBody') {
      this.mode = 'afterHtml';
      return;
    } else if (this.mode !== 'body') giveUp();
    this.endOmitted(name);
    if (this.current !== name) giveUp();
    this.pop();
  }

  /** Ends the elements whose end tag may be left out before this end tag. */
  private endOmitted(name: string): void {
    if (this.svgDepth > 0 || this.current === name) return;
    if (name === 'tr' || name === 'table' || ROW_GROUPS.has(name)) this.endTableParts(name);
    else if (name === 'select') {
      if (this.current === 'option') this.pop();
      if (this.current === 'optgroup') this.pop();
    } else if ((BLOCKS.has(name) && !HEADINGS.has(name) && name !== 'p') || CELLS.has(name)) {
      if (this.current === 'p') this.pop();
      if (name !== this.current && (this.current === 'li' || this.current === 'dd' || this.current === 'dt')) this.pop();
    }
  }

  private endTableParts(name: string): void {
    if (CELLS.has(this.current)) this.pop();
    if (name !== 'tr' && this.current === 'tr') this.pop();
    if (name === 'table' && ROW_GROUPS.has(this.current)) this.pop();
  }

  private push(name: string, attributes: string): void {
    this.count();
    if (this.open.push(name) > MAX_DEPTH) giveUp();
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
    this.out += `<${name}${attributes}>`;
  }

  private pop(): void {
    const name = this.open.pop() ?? giveUp();
    this.counts.set(name, (this.counts.get(name) ?? 1) - 1);
    if (this.svgDepth > 0) this.svgDepth--;
    this.out += `</${name}>`;
  }

  private count(): void {
    if (++this.elements > MAX_ELEMENTS) giveUp();
  }
}

/** The page as XML, equal to what the parser of the standard makes of it; null if only that parser can tell. In linear time. */
export function wellNestedToXml(html: string): string | null {
  if (/[\0\ufeff]/.test(html)) return null;
  try {
    return new WellNested(html.includes('\r') ? html.replace(/\r\n?/g, '\n') : html).write();
  } catch (error) {
    if (error instanceof NotWellNested) return null;
    throw error;
  }
}
