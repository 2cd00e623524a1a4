import { defaultTreeAdapter, parse, type DefaultTreeAdapterTypes } from 'parse5';
import { isNamespace, xmlComment, xmlDocument, xmlName, xmlText, xmlValue } from './xml-text.ts';

type ParentNode = DefaultTreeAdapterTypes.ParentNode;
type Element = DefaultTreeAdapterTypes.Element;

/** With its prefix, as in the page. */
export const sourceName = ({ name, prefix }: Element['attrs'][number]): string =>
  prefix === undefined || prefix === '' ? name : `${prefix}:${name}`;

class XmlWriter {
  private readonly parts: string[] = [];
  /** Names of elements with an id, declared in the document type for the XPath function `id()`. */
  private readonly withId = new Set<string>();

  write(document: ParentNode): string {
    this.children(document);
    return xmlDocument(this.parts.join(''), this.withId);
  }

  private children(parent: ParentNode): void {
    for (const node of parent.childNodes) {
      if (defaultTreeAdapter.isTextNode(node)) this.parts.push(xmlText(node.value));
      else if (defaultTreeAdapter.isCommentNode(node)) this.parts.push(xmlComment(node.data));
      else if (defaultTreeAdapter.isElementNode(node)) this.element(node);
    }
  }

  private element(element: Element): void {
    const name = xmlName(element.tagName);
    this.parts.push('<', name);
    const seen = new Set<string>();
    for (const attr of element.attrs) {
      const attribute = xmlName(sourceName(attr));
      if (isNamespace(attribute) || seen.has(attribute)) continue;
      seen.add(attribute);
      if (attribute === 'id') this.withId.add(name);
      this.parts.push(' ', attribute, '="', xmlValue(attr.value), '"');
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

/** A DOM tree as XML without namespaces, with lower-case names as in HTML. */
export const documentToXml = (document: ParentNode): string => new XmlWriter().write(document);

export const htmlToXml = (html: string): string => documentToXml(parse(html));
