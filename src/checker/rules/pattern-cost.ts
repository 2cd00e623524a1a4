/** A bracket expression; a `]` in first position is a member. */
const CLASS = /\[\^?\]?(?:\[:\^?[a-z]+:\]|\\[\s\S]|[^\]\\])*\]?/y;
/** An escape; its braces are not a repetition count. */
const ESCAPE = /\\(?:Q[\s\S]*?(?:\\E|$)|[xpP]\{[^}]*\}?|[\s\S]|$)/y;
const COUNT = /\{(\d{1,9})(?:,(\d{0,9}))?\}/y;

/** The size of a pattern with its counted repetitions expanded, as automaton engines do; an upper bound, computed without expanding. */
export function expandedSize(source: string): number {
  const outer: number[] = [];
  let sum = 0;
  let last = 0;
  const matched = (pattern: RegExp, at: number): RegExpExecArray | null => {
    pattern.lastIndex = at;
    return pattern.exec(source);
  };
  const put = (size: number): void => {
    sum += last;
    last = size;
  };
  for (let at = 0; at < source.length;) {
    const char = source.charAt(at);
    const found = char === '\\' ? matched(ESCAPE, at) : char === '[' ? matched(CLASS, at) : char === '{' ? matched(COUNT, at) : null;
    if (found !== null && char === '{') last = repeated(last, found);
    else if (char === '(') {
      put(0);
      outer.push(sum);
      sum = 0;
    } else if (char === ')') {
      const size = sum + last + 2;
      sum = outer.pop() ?? 0;
      last = size;
    } else put(found?.[0].startsWith('\\Q') === true ? found[0].length : 1);
    at += found?.[0].length ?? 1;
  }
  return outer.reduce((total, size) => total + size, sum + last);
}

/** An optional repetition needs one instruction more. */
const repeated = (size: number, [, least, most]: RegExpExecArray): number =>
  most === undefined ? size * Math.max(1, Number(least)) : (size + 1) * Math.max(1, Number(least), Number(most));

const FOLDS_CASE = /\(\?[A-Za-z]*i/;
/** One end of a range: a character, an escaped one, or one by its number. */
const END = String.raw`(?:\\x\{[0-9a-fA-F]*\}|\\x[0-9a-fA-F]{2}|\\[0-7]{1,3}|\\[\s\S]|[\s\S])`;
const RANGE = new RegExp(`(?=(${END})-(${END}))`, 'gu');
/** The first and the last character with an upper and a lower case. */
const FIRST_LETTER = 0x41;
const LAST_LETTER = 0x1e943;

/** How many letters the ranges of a pattern hold if it ignores case: RE2 folds them one by one. An upper bound, computed without compiling. */
export function foldedLetters(source: string): number {
  if (!FOLDS_CASE.test(source)) return 0;
  // The search also begins inside an escape, so that none is missed: each hyphen counts once.
  const ofHyphen = new Map<number, number>();
  for (const { index, 1: from = '', 2: to = '' } of source.matchAll(RANGE)) {
    const letters = Math.min(codePoint(to), LAST_LETTER) - Math.max(codePoint(from), FIRST_LETTER) + 1;
    const hyphen = index + from.length;
    ofHyphen.set(hyphen, Math.max(letters, ofHyphen.get(hyphen) ?? 0));
  }
  return [...ofHyphen.values()].reduce((sum, letters) => sum + letters, 0);
}

function codePoint(end: string): number {
  const [, hex, octal] = /^\\(?:x\{?([0-9a-fA-F]*)\}?|([0-7]{1,3}))$/.exec(end) ?? [];
  if (hex !== undefined) return Number.parseInt(hex, 16) || 0;
  if (octal !== undefined) return Number.parseInt(octal, 8);
  return end.codePointAt(end.length > 1 && end.startsWith('\\') ? 1 : 0) ?? 0;
}

/** `\pL` and its like add hundreds of ranges each. */
const UNICODE_CLASS = /\\[pP]/g;
const RANGES_OF_A_UNICODE_CLASS = 1000;

/** About the microseconds that compiling takes; an upper bound, computed without compiling. */
export const compileCost = (source: string): number =>
  source.length +
  expandedSize(source) +
  foldedLetters(source) / 10 +
  (source.match(UNICODE_CLASS)?.length ?? 0) * RANGES_OF_A_UNICODE_CLASS;
