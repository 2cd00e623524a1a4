import { HIDDEN } from '../../checker/evidence/hidden-headers.ts';
import { MASK } from '../../kernel/text.ts';

export const hasHiddenParts = (text: string): boolean => text.includes(MASK) || text.includes(HIDDEN);

/** Whether `masked` is `text`, or `text` with masks in place of parts of it. In linear time. */
export function isMaskedFormOf(masked: string, text: string): boolean {
  if (masked === text) return true;
  const parts = masked.replaceAll(HIDDEN, MASK).split(MASK);
  const [first = '', ...middle] = parts;
  const last = middle.pop();
  if (last === undefined || !text.startsWith(first)) return false;
  let at = first.length;
  for (const part of middle) {
    // A mask stands for one character at least.
    const found = text.indexOf(part, at + 1);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.endsWith(last) && text.length - last.length > at;
}
