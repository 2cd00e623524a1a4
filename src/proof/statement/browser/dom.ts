/** The part of the browser's document model that the verifier uses: the program itself is compiled without it. */
export interface PageNode {
  readonly nodeType: number;
  readonly nodeName: string;
  readonly nodeValue: string | null;
  readonly textContent: string | null;
  readonly parentNode: PageNode | null;
  readonly childNodes: ArrayLike<PageNode>;
  /** Only an element has attributes. */
  readonly attributes?: ArrayLike<{ readonly name: string; readonly value: string }>;
}

export interface PageElement extends PageNode {
  className: string;
  append(...nodes: readonly (PageNode | string)[]): void;
  replaceChildren(...nodes: readonly (PageNode | string)[]): void;
  querySelector(selector: string): PageElement | null;
}

export interface PageDocument extends PageNode {
  readonly currentScript: PageElement | null;
  readonly compatMode: string;
  readonly characterSet: string;
  querySelector(selector: string): PageElement | null;
  createElement(name: string): PageElement;
  addEventListener(type: 'DOMContentLoaded', listener: () => void): void;
}
