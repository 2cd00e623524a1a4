/** `1 site`, `2 sites`. */
export const counted = (count: number, what: string): string => `${String(count)} ${count === 1 ? what : `${what}s`}`;

/** Shown in answers in place of a secret. Sent back: the saved secret is kept. */
export const MASK = '********';

/** Cuts to at most `length` UTF-16 units, the last of which is an ellipsis; never splits a surrogate pair. */
export function shortened(text: string, length: number): string {
  if (text.length <= length) return text;
  const end = Math.max(0, length - 1);
  return `${text.slice(0, /[\ud800-\udbff]/.test(text.charAt(end - 1)) ? end - 1 : end)}…`;
}
