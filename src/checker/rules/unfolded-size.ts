/** A bracket expression; `]` as its first member is one. */
const CLASS = /\[\^?\]?(?:\[:\^?[a-z]+:\]|\\[\s\S]|[^\]\\])*\]?/y;
/** What a backslash begins, so that no brace of it is taken for a count. */
const ESCAPE = /\\(?:Q[\s\S]*?(?:\\E|$)|[xpP]\{[^}]*\}?|[\s\S]|$)/y;
const COUNT = /\{(\d{1,9})(?:,(\d{0,9}))?\}/y;

/** How long a pattern is once its counted repetitions are written out, as every engine does that never looks back: told without doing it, and never too little. */
export function unfoldedSize(source: string): number {
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

/** What may be missing needs an instruction more. */
const repeated = (size: number, [, least, most]: RegExpExecArray): number =>
  most === undefined ? size * Math.max(1, Number(least)) : (size + 1) * Math.max(1, Number(least), Number(most));
