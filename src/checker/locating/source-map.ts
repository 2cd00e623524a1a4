import { WIDE_GAP } from '../page/page-facts.ts';

/** A stretch of the decoded page, its end excluded. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** A text that was put together, and the source of each of its parts. */
export class SourceMap {
  private readonly parts: string[] = [];
  private gaps: readonly Gap[] | undefined;
  /** Triples: begin in the text, begin and end in the source. */
  private triples = new Int32Array(3 * 16);
  private count = 0;
  private length = 0;
  private end = 0;

  add(text: string, from = this.end, to = from): void {
    if (3 * this.count === this.triples.length) {
      const grown = new Int32Array(this.triples.length * 2);
      grown.set(this.triples);
      this.triples = grown;
    }
    const at = 3 * this.count++;
    this.triples[at] = this.length;
    this.triples[at + 1] = from;
    this.triples[at + 2] = to;
    this.parts.push(text);
    this.length += text.length;
    this.end = to;
  }

  joined(): string {
    return this.parts.join('');
  }

  /** The source of a part of the whole as `collapsed` writes it; the part is not empty. */
  sourceOfCollapsed({ from, to }: Stretch): Stretch {
    const gaps = (this.gaps ??= gapsOf(this.joined()));
    return this.sourceOf({ from: beforeCollapsing(gaps, from), to: beforeCollapsing(gaps, to - 1) + 1 });
  }

  /** The source of a part of the whole that is not empty. */
  sourceOf({ from, to }: Stretch): Stretch {
    return { from: this.sourceOfCharacter(from).from, to: this.sourceOfCharacter(to - 1).to };
  }

  private sourceOfCharacter(index: number): Stretch {
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

/** White space that was collapsed to one character, or to none at the beginning. */
interface Gap {
  /** The index of that character in the collapsed text; -1 at the beginning. */
  readonly at: number;
  /** How many characters are missing in the collapsed text after it. */
  readonly missing: number;
}

function gapsOf(whole: string): readonly Gap[] {
  const begin = /\S/.exec(whole)?.index ?? whole.length;
  const gaps: Gap[] = [{ at: -1, missing: begin }];
  let missing = begin;
  for (const { 0: gap, index } of whole.matchAll(WIDE_GAP)) {
    if (index < begin || gap.length === 1) continue;
    const at = index - missing;
    missing += gap.length - 1;
    gaps.push({ at, missing });
  }
  return gaps;
}

function beforeCollapsing(gaps: readonly Gap[], index: number): number {
  let [low, high] = [0, gaps.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((gaps[middle]?.at ?? 0) < index) low = middle;
    else high = middle - 1;
  }
  return index + (gaps[low]?.missing ?? 0);
}
