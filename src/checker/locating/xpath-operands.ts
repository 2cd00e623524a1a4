/** What may follow a part of an expression that is an expression by itself. */
const BOUNDARY = /[/[\]),=!<>|+\s]/;
const CALL = /\s*(?:[a-z][a-z-]*\s*)?\(\s*/y;
/** An operator that lacks its second operand. */
const UNFINISHED = /(?:[/|=<>!+,:@]|[\s)\]](?:and|or|div|mod|-))$/;

/**
 * The beginnings of an XPath, the longest first, then those of the first argument of the function that it calls: one of them is the operand that is compared,
 * or the path up to a step that selects nothing. Brackets and quotes are closed, because the library writes about each invalid expression to standard error.
 */
export function* operandsOf(expression: string): Generator<string> {
  for (let from = 0; ;) {
    for (const end of closedEnds(expression, from).reverse()) {
      const operand = expression.slice(from, end).trim();
      if (operand !== '' && !UNFINISHED.test(operand)) yield operand;
    }
    CALL.lastIndex = from;
    if (CALL.exec(expression) === null) return;
    from = CALL.lastIndex;
  }
}

/** Where a part that begins at `from` may end: outside of brackets and quotes. */
function closedEnds(expression: string, from: number): number[] {
  const ends: number[] = [];
  let [depth, quote] = [0, ''];
  for (let at = from; at < expression.length; at++) {
    const char = expression.charAt(at);
    if (quote !== '') quote = char === quote ? '' : quote;
    else {
      if (depth === 0 && BOUNDARY.test(char)) ends.push(at);
      // The end of the argument.
      if (depth === 0 && char === ',') return ends;
      if (char === '"' || char === "'") quote = char;
      else if (char === '(' || char === '[') depth++;
      else if ((char === ')' || char === ']') && --depth < 0) return ends;
    }
  }
  return depth === 0 && quote === '' ? [...ends, expression.length] : ends;
}
