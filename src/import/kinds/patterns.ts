/** A text as a pattern that matches nothing else. */
export const literalPattern = (text: string): string => text.replaceAll(/[\\^$.|?*+()[\]{}]/g, String.raw`\$&`);

/** A file name pattern (`*`, `?`, `[a-z]`) over a whole value, line breaks included. */
export function globPattern(glob: string): string {
  let pattern = '';
  for (let at = 0; at < glob.length; at++) {
    const char = glob.charAt(at);
    const end = char === '[' ? glob.indexOf(']', at + 2) : -1;
    if (char === '*') pattern += '.*';
    else if (char === '?') pattern += '.';
    else if (char === '\\' && at + 1 < glob.length) pattern += literalPattern(glob.charAt(++at));
    else if (end > 0) {
      pattern += glob.slice(at, end + 1);
      at = end;
    } else pattern += literalPattern(char);
  }
  return `(?s)^${pattern}$`;
}
