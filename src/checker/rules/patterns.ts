import { RE2JS } from 're2js';
import { unfoldedSize } from './unfolded-size.ts';

/** Longer ones nobody writes by hand, and they can be made to cost. */
export const LONGEST_EXPRESSION = 1024;
/** Each takes some 80 bytes, and time on the thread that everybody shares. */
const MOST_INSTRUCTIONS = 10_000;
const MOST_KEPT = 500;
const MOST_INSTRUCTIONS_KEPT = 500_000;

const kept = new Map<string, RE2JS>();
let instructionsKept = 0;

export type Compiled = { readonly ok: true; readonly pattern: RE2JS } | { readonly ok: false; readonly reason: string };

/** RE2's syntax only: time grows with the length of the text, whatever the pattern. */
export function compilePattern(source: string): Compiled {
  const known = kept.get(source);
  if (known !== undefined) return { ok: true, pattern: known };
  if (Buffer.byteLength(source) > LONGEST_EXPRESSION) return { ok: false, reason: 'it is longer than 1 KiB' };
  if (unfoldedSize(source) > MOST_INSTRUCTIONS)
    return { ok: false, reason: `its repetitions come to more than ${String(MOST_INSTRUCTIONS)} when they are written out` };
  try {
    const pattern = RE2JS.compile(source);
    if (kept.size >= MOST_KEPT || instructionsKept > MOST_INSTRUCTIONS_KEPT) {
      kept.clear();
      instructionsKept = 0;
    }
    kept.set(source, pattern);
    instructionsKept += pattern.programSize();
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
