import { type Attributes, scanHtml } from '../page/html-scanner.ts';
import { ElementsVisitor, type PageElements } from '../page/page-elements.ts';
import type { Page } from '../page/page.ts';
import { SourceMap, type Stretch } from './source-map.ts';

/** The elements that rules read, and where their start tags stand, in the order of `PageElements`. */
export interface ElementPlaces {
  readonly elements: PageElements;
  readonly lang: Stretch | null;
  readonly links: readonly Stretch[];
  readonly policies: readonly Stretch[];
  readonly resources: readonly Stretch[];
  readonly linkedData: readonly SourceMap[];
}

/** Extracts the elements as for judging, and notes in the same pass where each comes from. */
class LocatingVisitor extends ElementsVisitor {
  langPlace: Stretch | null = null;
  readonly linkPlaces: Stretch[] = [];
  readonly policyPlaces: Stretch[] = [];
  readonly resourcePlaces: Stretch[] = [];
  readonly dataPlaces: SourceMap[] = [];
  private script = new SourceMap();

  override open(name: string, attributes: Attributes, from: number, to: number): void {
    const data = this.data;
    super.open(name, attributes);
    const tag = { from, to };
    if (this.data !== data) this.script = new SourceMap();
    if (this.lang !== null) this.langPlace ??= tag;
    for (const [known, places] of [
      [this.links, this.linkPlaces],
      [this.policies, this.policyPlaces],
      [this.resources, this.resourcePlaces],
    ] as const)
      while (places.length < known.length) places.push(tag);
  }

  override text(text: string, from: number, to: number): void {
    const known = this.data?.length;
    super.text(text);
    if (this.data?.length !== known) this.script.add(text, from, to);
  }

  override close(name: string): void {
    super.close(name);
    if (this.dataPlaces.length < this.linkedData.length) this.dataPlaces.push(this.script);
  }
}

/** Empty unless the page is markup. */
export function elementPlaces({ html, markup }: Pick<Page, 'html' | 'markup'>): ElementPlaces {
  const visitor = new LocatingVisitor();
  if (markup !== null) scanHtml(html, visitor, markup);
  const { langPlace, linkPlaces, policyPlaces, resourcePlaces, dataPlaces } = visitor;
  const elements = visitor.found();
  return { elements, lang: langPlace, links: linkPlaces, policies: policyPlaces, resources: resourcePlaces, linkedData: dataPlaces };
}
