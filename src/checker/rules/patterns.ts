import { LRUCache } from 'lru-cache';
import { RE2JS } from 're2js';

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

/** In bytes; longer expressions are not written by hand. */
export const MAX_EXPRESSION = 1024;
/** Each instruction takes about 80 bytes. */
const MAX_INSTRUCTIONS = 10_000;
/** Twice everything that has a case; takes about 10 ms to compile. */
const MAX_FOLDED_LETTERS = 250_000;
const MAX_CACHED = 500;
const MAX_CACHED_INSTRUCTIONS = 500_000;

const cache = new LRUCache<string, RE2JS>({
  max: MAX_CACHED,
  maxSize: MAX_CACHED_INSTRUCTIONS,
  sizeCalculation: (pattern) => pattern.programSize(),
});

export type CompiledPattern = { readonly ok: true; readonly pattern: RE2JS } | { readonly ok: false; readonly reason: string };

/**
 * RE2 syntax: a search takes time linear in the length of the text, whatever the pattern. Compiling has no such bound: on the shared thread only patterns
 * with a finite `simpleSearchCost` may be compiled, all others in a worker under its time limit.
 */
export function compilePattern(source: string): CompiledPattern {
  const known = cache.get(source);
  if (known !== undefined) return { ok: true, pattern: known };
  const reason = tooExpensive(source);
  if (reason !== null) return { ok: false, reason };
  try {
    const pattern = RE2JS.compile(source);
    cache.set(source, pattern);
    return { ok: true, pattern };
  } catch (error) {
    return {
      ok: false,
      reason: (error as Error).message.replace(/^error parsing regexp: /, '').slice(0, 200),
    };
  }
}

/** Why a pattern is refused before it is compiled, or null. */
function tooExpensive(source: string): string | null {
  if (Buffer.byteLength(source) > MAX_EXPRESSION) return 'it is longer than 1 KiB';
  if (expandedSize(source) > MAX_INSTRUCTIONS) return `its repetitions expand to more than ${String(MAX_INSTRUCTIONS)} steps`;
  if (foldedLetters(source) > MAX_FOLDED_LETTERS)
    return `its ranges hold more than ${String(MAX_FOLDED_LETTERS)} letters, which (?i) compares in both cases`;
  return null;
}

/** In the unit of `compileCost`; also the longest source that is counted for it. */
const SIMPLE = 500;
/** The steps for each character; infinite for a pattern that is not simple. At most 10,000. */
const steps = new LRUCache<string, number>({ maxSize: 1_000_000, sizeCalculation: (_, source) => source.length + 100 });

/** About the steps of a search in a text of this length; infinite for a pattern that must not be compiled on the shared thread. Compiles nothing. */
export function simpleSearchCost(source: string, length: number): number {
  if (source.length > SIMPLE) return Infinity;
  let each = steps.get(source);
  if (each === undefined) {
    each = compileCost(source) > SIMPLE ? Infinity : expandedSize(source) + 2;
    steps.set(source, each);
  }
  return each * length;
}
