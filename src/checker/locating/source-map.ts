/** A stretch of the decoded page, its end excluded. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** A text that was put together, and the source of each of its parts. */
export class SourceMap {
  private readonly parts: string[] = [];
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
