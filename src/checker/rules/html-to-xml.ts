import { defaultTreeAdapter, parse, type DefaultTreeAdapterTypes } from 'parse5';
import { scanHtml } from '../page/html-scanner.ts';

type ParentNode = DefaultTreeAdapterTypes.ParentNode;
type Element = DefaultTreeAdapterTypes.Element;

const MOST_ELEMENTS = 50_000;
const DEEPEST = 1_000;

/** Elements that end without an end tag: many of them in a row are siblings. */
const ENDS_BY_ITSELF = new Set(
  (
    'area base br col embed hr img input link meta param source track wbr html head body p li dt dd tr td th thead tbody tfoot colgroup option optgroup ' +
    'rp rt script style title textarea path circle rect line polygon polyline ellipse use stop'
  ).split(' '),
);
const NO_ATTRIBUTES: ReadonlySet<string> = new Set();

/** Why a page is too much for a tree, or null; found without building one. */
export function tooMuchForTree(html: string): string | null {
  let elements = 0;
  let depth = 0;
  let deepest = 0;
  scanHtml(html, {
    attributesOf: NO_ATTRIBUTES,
    open: (name) => {
      elements++;
      if (!ENDS_BY_ITSELF.has(name)) deepest = Math.max(deepest, ++depth);
    },
    close: (name) => {
      if (!ENDS_BY_ITSELF.has(name) && depth > 0) depth--;
    },
  });
  if (deepest > DEEPEST) return `the page is nested more than ${String(DEEPEST)} deep`;
  return elements > MOST_ELEMENTS ? `the page has more than ${String(MOST_ELEMENTS)} elements` : null;
}

const NAME = /^[A-Za-z_][A-Za-z0-9_.:-]*$/;
const nameOf = (text: string): string => (NAME.test(text) ? text : `_${text.replace(/[^A-Za-z0-9_.:-]/g, '_')}`);

/** What XML cannot hold: control characters but tab and line ends, half characters, and two that are none. */
const NO_XML = /(?![\t\n\r\u0080-\u009f])\p{Cc}|\p{Cs}|[\ufffe\uffff]/gu;
const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\r': '&#13;' };
const escaped = (text: string): string => text.replace(NO_XML, '\ufffd').replace(/[&<>"\r]/g, (char) => ESCAPES[char] ?? char);
const escapedValue = (text: string): string => escaped(text).replace(/[\n\t]/g, (char) => (char === '\n' ? '&#10;' : '&#9;'));

class XmlWriter {
  private readonly parts: string[] = [];
  /** Elements that carry an id: a document type makes `id()` find them. */
  private readonly withId = new Set<string>();

  write(document: ParentNode): string {
    this.children(document);
    const ids = [...this.withId].map((name) => `<!ATTLIST ${name} id ID #IMPLIED>`).join('');
    return `<!DOCTYPE html [${ids}]>${this.parts.join('')}`;
  }

  private children(parent: ParentNode): void {
    for (const node of parent.childNodes) {
      if (defaultTreeAdapter.isTextNode(node)) this.parts.push(escaped(node.value));
      else if (defaultTreeAdapter.isCommentNode(node))
        this.parts.push(`<!--${node.data.replace(NO_XML, '').replace(/-(?=-|$)/g, '- ')}-->`);
      else if (defaultTreeAdapter.isElementNode(node)) this.element(node);
    }
  }

  private element(element: Element): void {
    const name = nameOf(element.tagName);
    this.parts.push('<', name);
    const seen = new Set<string>();
    for (const attr of element.attrs) {
      const attribute = nameOf(attr.prefix === undefined || attr.prefix === '' ? attr.name : `${attr.prefix}:${attr.name}`);
      // In HTML the namespace is known anyway; declared in XML it would hide every element from an XPath without prefixes.
      if (attribute === 'xmlns' || attribute.startsWith('xmlns:') || seen.has(attribute)) continue;
      seen.add(attribute);
      if (attribute === 'id') this.withId.add(name);
      this.parts.push(' ', attribute, '="', escapedValue(attr.value), '"');
    }
    if (element.childNodes.length === 0) {
      this.parts.push('/>');
    } else {
      this.parts.push('>');
      this.children(element);
      this.parts.push('</', name, '>');
    }
  }
}

/** The tree that a browser would make of a page, as XML without namespaces: names as in HTML, in lower case. */
export const htmlToXml = (html: string): string => new XmlWriter().write(parse(html));
