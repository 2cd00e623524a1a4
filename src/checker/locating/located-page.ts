import { ElementsVisitor, type PageElements } from '../page/page-elements.ts';
import type { PageFacts } from '../page/page-facts.ts';
import { Page } from '../page/page.ts';
import { type FactPlaces, factPlaces } from './located-facts.ts';
import { type Attributes, scanHtml } from '../page/html-scanner.ts';
import { SourceMap, type Stretch } from './source-map.ts';

/** The elements that rules read, and where their start tags stand, in the order of `PageElements`. */
interface ElementPlaces {
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
function elementPlaces({ html, markup }: Pick<Page, 'html' | 'markup'>): ElementPlaces {
  const visitor = new LocatingVisitor();
  if (markup !== null) scanHtml(html, visitor, markup);
  const { langPlace, linkPlaces, policyPlaces, resourcePlaces, dataPlaces } = visitor;
  const elements = visitor.found();
  return { elements, lang: langPlace, links: linkPlaces, policies: policyPlaces, resources: resourcePlaces, linkedData: dataPlaces };
}

/** A page whose facts and elements are extracted together with their places, so that it is read once for both. */
export class LocatedPage extends Page {
  private knownFactPlaces: FactPlaces | undefined;
  private knownElementPlaces: ElementPlaces | undefined;

  get factPlaces(): FactPlaces {
    return (this.knownFactPlaces ??= factPlaces(this));
  }

  get elementPlaces(): ElementPlaces {
    return (this.knownElementPlaces ??= elementPlaces(this));
  }

  override get facts(): PageFacts {
    return this.factPlaces.facts;
  }

  override get elements(): PageElements {
    return this.elementPlaces.elements;
  }
}

/** Bytes of a page, the end excluded, and the line in which they begin, counted from 1. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
  readonly line: number;
}
