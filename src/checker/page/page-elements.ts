import { type Attributes, scanHtml, type HtmlVisitor, type MarkupLanguage } from './html-scanner.ts';

export interface LinkElement {
  /** The words of its `rel`, in lower case. */
  readonly rels: readonly string[];
  readonly href: string;
  readonly hreflang: string | null;
}

/** Elements that rules beyond text, title and meta tags read; extracted in one pass, on first use. */
export interface PageElements {
  /** The language of the `html` element; null without one. */
  readonly lang: string | null;
  /** The address of the first `base` element that has one; null without it. */
  readonly base: string | null;
  readonly links: readonly LinkElement[];
  /** Policies in meta tags of the head, where alone browsers read them. */
  readonly policies: readonly string[];
  /** Addresses that a browser fetches to show the page, or sends a form to. */
  readonly resources: readonly string[];
  /** Contents of scripts of the type application/ld+json. */
  readonly linkedData: readonly string[];
}

export const NO_ELEMENTS: PageElements = { lang: null, base: null, links: [], policies: [], resources: [], linkedData: [] };

/** The most elements of each kind; further ones are left out. */
const MAX_OF_KIND = 10_000;

/** The attributes that hold the address of a resource. */
const RESOURCES: Readonly<Record<string, readonly string[]>> = {
  script: ['src'],
  img: ['src', 'srcset'],
  iframe: ['src'],
  frame: ['src'],
  embed: ['src'],
  object: ['data'],
  form: ['action'],
  audio: ['src'],
  video: ['src', 'poster'],
  source: ['src', 'srcset'],
  track: ['src'],
  input: ['src'],
};
/** Links that a browser fetches. */
const FETCHED = new Set(['stylesheet', 'icon', 'preload', 'modulepreload', 'prefetch', 'manifest', 'apple-touch-icon', 'mask-icon']);
/** Elements that may stand in a head; any other begins the body. */
const IN_HEAD = new Set(['html', 'head', 'title', 'meta', 'link', 'base', 'script', 'style', 'noscript', 'template']);
const ATTRIBUTES_OF = new Set([...Object.keys(RESOURCES), 'html', 'base', 'link', 'meta']);
/** Browsers do not read the content of these as part of the page. */
const INERT = new Set(['template', 'noscript', 'noembed', 'noframes', 'iframe']);

const words = (text: string): string[] => text.toLowerCase().split(/\s+/).filter(Boolean);

/** The addresses of a `srcset`, without their descriptors. */
const addressesOf = (srcset: string): string[] =>
  srcset.split(/\s+/).flatMap((word) => word.replace(/^,*(?:[\d.]+[wxh](?:,|$))?/, '').replace(/,$/, '') || []);

export class ElementsVisitor implements HtmlVisitor {
  readonly attributesOf = ATTRIBUTES_OF;
  lang: string | null = null;
  base: string | null = null;
  readonly links: LinkElement[] = [];
  readonly policies: string[] = [];
  readonly resources: string[] = [];
  readonly linkedData: string[] = [];
  private inHead = true;
  private hasRoot = false;
  private inert: string | null = null;
  private depth = 0;
  /** Content of the script that is being read. */
  protected data: string[] | null = null;

  open(name: string, attributes: Attributes, _from?: number, _to?: number): void {
    if (this.inert !== null) {
      if (name === this.inert) this.depth++;
      return;
    }
    if (!IN_HEAD.has(name)) this.inHead = false;
    if (name === 'html' && !this.hasRoot) {
      this.hasRoot = true;
      this.lang = attributes.get('lang') ?? attributes.get('xml:lang') ?? null;
    } else if (name === 'base') this.base ??= attributes.get('href') ?? null;
    else if (name === 'link') this.link(attributes);
    else if (name === 'meta') this.meta(attributes);
    else this.resource(name, attributes);
    if (name === 'script' && (attributes.get('type') ?? '').trim().toLowerCase() === 'application/ld+json') this.data = [];
    if (INERT.has(name)) {
      this.inert = name;
      this.depth = 1;
    }
  }

  close(name: string): void {
    if (this.inert !== null) {
      if (name === this.inert && --this.depth === 0) this.inert = null;
      return;
    }
    if (name === 'head') this.inHead = false;
    if (name === 'script' && this.data !== null) {
      add(this.linkedData, this.data.join(''));
      this.data = null;
    }
  }

  text(text: string, _from?: number, _to?: number): void {
    if (this.inert === null) this.data?.push(text);
  }

  found(): PageElements {
    const { lang, base, links, policies, resources, linkedData } = this;
    return { lang, base, links, policies, resources, linkedData };
  }

  private link(attributes: Attributes): void {
    const href = attributes.get('href');
    if (href === undefined) return;
    const rels = words(attributes.get('rel') ?? '');
    add(this.links, { rels, href: href.trim(), hreflang: attributes.get('hreflang')?.trim() ?? null });
    if (rels.some((rel) => FETCHED.has(rel))) add(this.resources, href.trim());
  }

  private meta(attributes: Attributes): void {
    const content = attributes.get('content');
    const isPolicy = (attributes.get('http-equiv') ?? '').trim().toLowerCase() === 'content-security-policy';
    if (isPolicy && this.inHead && content !== undefined) add(this.policies, content);
  }

  private resource(name: string, attributes: Attributes): void {
    for (const attribute of RESOURCES[name] ?? []) {
      const value = attributes.get(attribute)?.trim() ?? '';
      for (const address of attribute === 'srcset' ? addressesOf(value) : [value]) if (address !== '') add(this.resources, address);
    }
  }
}

function add<Item>(items: Item[], item: Item): void {
  if (items.length < MAX_OF_KIND) items.push(item);
}

/** A script without an end tag, such as on a cut page, is ignored. */
export function pageElements(html: string, markup: MarkupLanguage = 'html'): PageElements {
  const visitor = new ElementsVisitor();
  scanHtml(html, visitor, markup);
  return visitor.found();
}
