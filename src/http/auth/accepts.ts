interface Range {
  readonly type: string;
  readonly weight: number;
}

/** Whether a client takes JSON and no plain text: then, and only then, the token comes in an object (decisions.md, A1). */
export function wantsJson(accept: string | undefined): boolean {
  const ranges = (accept ?? '*/*').split(',').map(readRange);
  return admits(ranges, 'application/json') && !admits(ranges, 'text/plain');
}

/** The most specific range decides. */
function admits(ranges: readonly Range[], type: string): boolean {
  const [family = ''] = type.split('/');
  const match = [type, `${family}/*`, '*/*']
    .map((pattern) => ranges.find((range) => range.type === pattern))
    .find((range) => range !== undefined);
  return match !== undefined && match.weight > 0;
}

function readRange(text: string): Range {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith('q='));
  return { type, weight: weight === undefined ? 1 : Number(weight.slice(2)) };
}
