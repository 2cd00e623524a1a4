import { FunctionExpressionType, type FilterFunction, JSONPathEnvironment, type JSONPathQuery } from 'json-p3';
import { LRUCache } from 'lru-cache';
import { compilePattern } from './patterns.ts';

/** The deepest nesting of objects and arrays that `..` descends into. */
const MAX_DEPTH = 500;

export type CompiledJsonPath = { readonly ok: true; readonly query: JSONPathQuery } | { readonly ok: false; readonly reason: string };

/** Whether a pattern of a filter matches, in linear time; what is no text, or no pattern, does not. */
const byPattern = (matches: (text: string, pattern: string) => boolean): FilterFunction => ({
  argTypes: [FunctionExpressionType.ValueType, FunctionExpressionType.ValueType],
  returnType: FunctionExpressionType.LogicalType,
  call: (text: unknown, pattern: unknown) => typeof text === 'string' && typeof pattern === 'string' && matches(text, pattern),
});

/** In an I-Regexp (RFC 9485) a dot matches no line end, neither `\n` nor `\r`. */
const withDots = (pattern: string): string =>
  pattern.replace(/\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|\./g, (part) => (part === '.' ? '[^\\n\\r]' : part));

function found(text: string, pattern: string): boolean {
  const compiled = compilePattern(withDots(pattern));
  return compiled.ok && compiled.pattern.matcher(text).find();
}

const environment = new JSONPathEnvironment({ maxRecursionDepth: MAX_DEPTH });
environment.functionRegister.set(
  'match',
  byPattern((text, pattern) => found(text, `\\A(?:${pattern})\\z`)),
);
environment.functionRegister.set('search', byPattern(found));

const cache = new LRUCache<string, JSONPathQuery>({ max: 500 });

/** RFC 9535, by json-p3; the patterns of `match` and `search` by RE2. Compile and query on a worker thread, whose time is limited. */
export function compileJsonPath(path: string): CompiledJsonPath {
  const known = cache.get(path);
  if (known !== undefined) return { ok: true, query: known };
  try {
    const query = environment.compile(path);
    cache.set(path, query);
    return { ok: true, query };
  } catch (error) {
    return { ok: false, reason: (error instanceof Error ? error.message : String(error)).slice(0, 150) };
  }
}

/** That a rule compares; more indicate a path that matches too much. */
export const MAX_VALUES = 10_000;

/** A value of JSON as text: a string without quotes, objects and arrays as JSON; empty if it is nested too deep to be written. */
export function jsonText(value: unknown): string {
  if (typeof value === 'string') return value;
  try {
    return JSON.stringify(value);
  } catch {
    return '';
  }
}
