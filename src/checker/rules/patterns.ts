import { LRUCache } from 'lru-cache';
import { RE2JS } from 're2js';

/** In bytes; longer expressions are not written by hand. */
export const MAX_EXPRESSION = 1024;
/** Each instruction takes about 80 bytes, and compiling runs on the main thread. */
const MAX_INSTRUCTIONS = 10_000;
const MAX_CACHED = 500;
const MAX_CACHED_INSTRUCTIONS = 500_000;

const cache = new LRUCache<string, RE2JS>({
  max: MAX_CACHED,
  maxSize: MAX_CACHED_INSTRUCTIONS,
  sizeCalculation: (pattern) => pattern.programSize(),
});

export type CompiledPattern = { readonly ok: true; readonly pattern: RE2JS } | { readonly ok: false; readonly reason: string };

/** RE2 syntax: a search takes time linear in the length of the text, whatever the pattern. */
export function compilePattern(source: string): CompiledPattern {
  const known = cache.get(source);
  if (known !== undefined) return { ok: true, pattern: known };
  if (Buffer.byteLength(source) > MAX_EXPRESSION) return { ok: false, reason: 'it is longer than 1 KiB' };
  if (expandedSize(source) > MAX_INSTRUCTIONS)
    return { ok: false, reason: `its repetitions expand to more than ${String(MAX_INSTRUCTIONS)} steps` };
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

/** An upper bound of the steps of a search. */
export const searchCost = (pattern: RE2JS, length: number): number => pattern.programSize() * length;

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
