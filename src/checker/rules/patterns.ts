import { RE2JS } from 're2js';

/** Longer ones nobody writes by hand, and they can be made to cost. */
export const LONGEST_EXPRESSION = 1024;
const MOST_KEPT = 500;

const kept = new Map<string, RE2JS>();

export type Compiled = { readonly ok: true; readonly pattern: RE2JS } | { readonly ok: false; readonly reason: string };

/** RE2's syntax only: time grows with the length of the text, whatever the pattern. */
export function compilePattern(source: string): Compiled {
  const known = kept.get(source);
  if (known !== undefined) return { ok: true, pattern: known };
  if (Buffer.byteLength(source) > LONGEST_EXPRESSION) return { ok: false, reason: 'it is longer than 1 KiB' };
  try {
    const pattern = RE2JS.compile(source);
    if (kept.size >= MOST_KEPT) kept.clear();
    kept.set(source, pattern);
    return { ok: true, pattern };
  } catch (error) {
    return {
      ok: false,
      reason: (error as Error).message.replace(/^error parsing regexp: /, '').slice(0, 200),
    };
  }
}

/** How much work a search may be; compared, never shown. */
export const searchCost = (pattern: RE2JS, length: number): number => pattern.programSize() * length;
