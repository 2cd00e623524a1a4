import { type Attributes, scanHtml } from '../page/html-scanner.ts';
import { collapsed, FactsVisitor, type PageFacts } from '../page/page-facts.ts';
import type { Page } from '../page/page.ts';
import { SourceMap, type Stretch } from './source-map.ts';

/** The facts of a page and where they stand in it. */
export interface FactPlaces {
  readonly facts: PageFacts;
  readonly titles: readonly Stretch[];
  readonly metas: ReadonlyMap<string, readonly Stretch[]>;
  /** The place of a stretch of the visible text. */
  readonly ofText: (found: Stretch) => Stretch;
}

/** Extracts the facts as for judging, and notes in the same pass where each comes from. */
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

  override joinedText(): string {
    return collapsed(this.visible.joined());
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
export function factPlaces({ html, markup }: Pick<Page, 'html' | 'markup'>): FactPlaces {
  const visitor = new LocatingVisitor();
  if (markup === null) visitor.visible.add(html, 0, html.length);
  else scanHtml(html, visitor, markup);
  const { visible, titles, metas, titlePlaces, metaPlaces } = visitor;
  return {
    facts: { text: visitor.joinedText(), titles, metas },
    titles: titlePlaces,
    metas: metaPlaces,
    ofText: (found) => (found.to > found.from ? visible.sourceOfCollapsed(found) : { from: 0, to: html.length }),
  };
}
