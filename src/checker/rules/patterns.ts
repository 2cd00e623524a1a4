import { LRUCache } from 'lru-cache';
import { RE2JS } from 're2js';
import { compileCost, expandedSize, foldedLetters } from './pattern-cost.ts';

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
