import { type Attributes, scanHtml } from '../page/html-scanner.ts';
import { FactsVisitor } from '../page/page-facts.ts';
import type { Page } from '../page/page.ts';
import { SourceMap, type Stretch } from './source-map.ts';

/** Where the facts of a page stand in it. */
export interface FactPlaces {
  readonly titles: readonly Stretch[];
  readonly metas: ReadonlyMap<string, readonly Stretch[]>;
  /** The place of a stretch of the visible text. */
  readonly ofText: (found: Stretch) => Stretch;
}

/** Extracts the facts as for judging, and notes where each comes from. */
class LocatingVisitor extends FactsVisitor {
  readonly titlePlaces: Stretch[] = [];
  readonly metaPlaces = new Map<string, Stretch[]>();
  readonly visible = new SourceMap();
  private tag: Stretch = { from: 0, to: 0 };
  private titleFrom = 0;

  override open(name: string, attributes: Attributes, from: number, to: number): void {
    this.tag = { from, to };
    if (name === 'title') this.titleFrom = to;
    super.open(name, attributes);
  }

  override close(name: string, from: number): void {
    const known = this.titles.length;
    super.close(name);
    if (this.titles.length > known) this.titlePlaces.push({ from: this.titleFrom, to: from });
  }

  protected override add(text: string, from?: number, to?: number): void {
    this.visible.add(text, from, to);
  }

  protected override addMeta(key: string, content: string): void {
    super.addMeta(key, content);
    const places = this.metaPlaces.get(key);
    if (places === undefined) this.metaPlaces.set(key, [this.tag]);
    else places.push(this.tag);
  }
}

/** The text of a page that is no markup is the whole of it. */
export function factPlaces(page: Page): FactPlaces {
  const visitor = new LocatingVisitor();
  const { markup } = page;
  if (markup === null) visitor.visible.add(page.html, 0, page.html.length);
  else scanHtml(page.html, visitor, markup);
  const { visible } = visitor;
  let known: Uint32Array | undefined;
  const ofText = ({ from, to }: Stretch): Stretch => {
    const places = (known ??= visible.placesOfCollapsed());
    if (to <= from) return { from: 0, to: page.html.length };
    return visible.sourceOf({ from: places[from] ?? 0, to: (places[to - 1] ?? 0) + 1 });
  };
  return { titles: visitor.titlePlaces, metas: visitor.metaPlaces, ofText };
}
