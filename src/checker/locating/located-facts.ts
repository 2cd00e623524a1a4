import { type Attributes, scanHtml } from '../page/html-scanner.ts';
import { FactsVisitor } from '../page/page-facts.ts';
import type { Page } from '../page/page.ts';

/** A stretch of the decoded page, its end excluded. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

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

/** A text that was put together, and the source of each of its parts. */
class SourceMap {
  private readonly parts: string[] = [];
  /** Triples: begin in the text, begin and end in the source. */
  private triples = new Int32Array(3 * 1024);
  private count = 0;
  private length = 0;
  private end = 0;

  add(text: string, from = this.end, to = from): void {
    if (3 * this.count === this.triples.length) {
      const grown = new Int32Array(this.triples.length * 2);
      grown.set(this.triples);
      this.triples = grown;
    }
    this.triples.set([this.length, from, to], 3 * this.count++);
    this.parts.push(text);
    this.length += text.length;
    this.end = to;
  }

  /** As `collapsed` writes it: for each of its characters, the place in the whole. */
  placesOfCollapsed(): Uint32Array {
    const whole = this.parts.join('');
    const places = new Uint32Array(whole.length + 1);
    let kept = 0;
    let at = /\S/.exec(whole)?.index ?? whole.length;
    const gaps = /\s+/g;
    gaps.lastIndex = at;
    for (let gap = gaps.exec(whole); gap !== null; gap = gaps.exec(whole)) {
      while (at < gap.index) places[kept++] = at++;
      places[kept++] = gap.index;
      at = gap.index + gap[0].length;
    }
    while (at < whole.length) places[kept++] = at++;
    places[kept] = whole.length;
    return places;
  }

  /** The source of one character of the whole. */
  sourceOf(index: number): Stretch {
    let [low, high] = [0, this.count - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.triples[3 * middle] ?? 0) <= index) low = middle;
      else high = middle - 1;
    }
    const [begin = 0, from = 0, to = 0] = this.triples.subarray(3 * low, 3 * low + 3);
    const nextBegin = low + 1 < this.count ? (this.triples[3 * (low + 1)] ?? 0) : this.length;
    // A character reference is longer than the character that it stands for.
    return to - from === nextBegin - begin ? { from: from + index - begin, to: from + index - begin + 1 } : { from, to };
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
    return { from: visible.sourceOf(places[from] ?? 0).from, to: visible.sourceOf(places[to - 1] ?? 0).to };
  };
  return { titles: visitor.titlePlaces, metas: visitor.metaPlaces, ofText };
}
