/** Cuts to at most `length` UTF-16 units, the last of which is an ellipsis; never splits a surrogate pair. */
export function shortened(text: string, length: number): string {
  if (text.length <= length) return text;
  const end = Math.max(0, length - 1);
  return `${text.slice(0, /[\ud800-\udbff]/.test(text.charAt(end - 1)) ? end - 1 : end)}…`;
}
