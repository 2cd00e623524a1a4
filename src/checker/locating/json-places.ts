import type { Stretch } from './source-map.ts';

const BLANK = /[\t\n\r ]*/y;
const STRING = /"(?:[^"\\]|\\[\s\S])*"/y;
const SCALAR = /[^\s,\]}]+/y;

/** The place of the value at a location in a text that is valid JSON; null without one. The last of equal names counts, as it does in parsing. */
export function jsonPlace(json: string, location: readonly (string | number)[]): Stretch | null {
  const scan = new JsonScan(json);
  let place = scan.value(0);
  for (const step of location) {
    const inner = typeof step === 'number' ? scan.item(place.from, step) : scan.member(place.from, step);
    if (inner === null) return null;
    place = inner;
  }
  return place;
}

class JsonScan {
  constructor(private readonly json: string) {}

  /** Skips a value, without recursion: JSON may be nested as deep as it is long. */
  value(at: number): Stretch {
    const from = this.after(BLANK, at);
    let depth = 0;
    for (let next = from; ;) {
      const char = this.json[next];
      if (char === '{' || char === '[') [depth, next] = [depth + 1, next + 1];
      else if (char === '}' || char === ']') [depth, next] = [depth - 1, next + 1];
      else if (char === '"') next = this.after(STRING, next);
      else if (char === ',' || char === ':') next++;
      else next = this.after(SCALAR, next);
      if (depth === 0 || next >= this.json.length) return { from, to: next };
      next = this.after(BLANK, next);
    }
  }

  item(from: number, index: number): Stretch | null {
    if (this.json[from] !== '[') return null;
    let at = this.after(BLANK, from + 1);
    for (let nth = 0; this.json[at] !== ']' && at < this.json.length; nth++) {
      const found = this.value(at);
      if (nth === index) return found;
      at = this.next(found.to);
    }
    return null;
  }

  member(from: number, name: string): Stretch | null {
    if (this.json[from] !== '{') return null;
    let last: Stretch | null = null;
    let at = this.after(BLANK, from + 1);
    while (this.json[at] !== '}' && at < this.json.length) {
      const end = this.after(STRING, at);
      const key = this.json.slice(at, end);
      const found = this.value(this.after(BLANK, end) + 1);
      if (JSON.parse(key) === name) last = found;
      at = this.next(found.to);
    }
    return last;
  }

  /** Behind a value: the next one, or the end of the whole. */
  private next(at: number): number {
    const end = this.after(BLANK, at);
    return this.json[end] === ',' ? this.after(BLANK, end + 1) : end;
  }

  private after(pattern: RegExp, at: number): number {
    pattern.lastIndex = at;
    return pattern.exec(this.json) === null ? at + 1 : pattern.lastIndex;
  }
}
