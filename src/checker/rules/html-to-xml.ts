import { defaultTreeAdapter, parse, type DefaultTreeAdapterTypes } from 'parse5';

type ParentNode = DefaultTreeAdapterTypes.ParentNode;
type Element = DefaultTreeAdapterTypes.Element;

const NAME = /^[A-Za-z_][A-Za-z0-9_.:-]*$/;
const nameOf = (text: string): string => (NAME.test(text) ? text : `_${text.replace(/[^A-Za-z0-9_.:-]/g, '_')}`);

/** Characters that XML does not allow: control characters except tab and line ends, lone surrogates, and two noncharacters. */
const NO_XML = /(?![\t\n\r\u0080-\u009f])\p{Cc}|\p{Cs}|[\ufffe\uffff]/gu;
const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\r': '&#13;' };
const escaped = (text: string): string => text.replace(NO_XML, '\ufffd').replace(/[&<>"\r]/g, (char) => ESCAPES[char] ?? char);
const escapedValue = (text: string): string => escaped(text).replace(/[\n\t]/g, (char) => (char === '\n' ? '&#10;' : '&#9;'));

class XmlWriter {
  private readonly parts: string[] = [];
  /** Names of elements with an id, declared in the document type for the XPath function `id()`. */
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
      // Declared in XML, a namespace would hide every element from an XPath without prefixes.
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

/** The DOM tree of a page as XML without namespaces, with lower-case names as in HTML. */
export const htmlToXml = (html: string): string => new XmlWriter().write(parse(html));
