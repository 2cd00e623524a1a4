interface MediaRange {
  readonly type: string;
  readonly weight: number;
  /** Its index in the header. */
  readonly index: number;
}

interface MediaRangeMatch extends MediaRange {
  /** 0 for the exact type, 1 for its family, 2 for any type. */
  readonly breadth: number;
}

export const admits = (accept: string, type: string): boolean => (matchOf(rangesIn(accept), type)?.weight ?? 0) > 0;

/** The available type that the client prefers: by weight, then exact over wildcard, then by order in the header. Null when none is acceptable. */
export function preferredOf<Type extends string>(accept: string, types: readonly Type[]): Type | null {
  const ranges = rangesIn(accept);
  const admitted = types.flatMap((type) => {
    const match = matchOf(ranges, type);
    return match !== null && match.weight > 0 ? [{ type, match }] : [];
  });
  const [best] = admitted.toSorted(
    ({ match: a }, { match: b }) => b.weight - a.weight || a.breadth - b.breadth || (a.breadth === 0 ? a.index - b.index : 0),
  );
  return best?.type ?? null;
}

const rangesIn = (accept: string): readonly MediaRange[] => accept.split(',').map(readRange);

/** The most specific range that matches. */
function matchOf(ranges: readonly MediaRange[], type: string): MediaRangeMatch | null {
  const [family = ''] = type.split('/');
  for (const [breadth, pattern] of [type, `${family}/*`, '*/*'].entries()) {
    const range = ranges.find((one) => one.type === pattern);
    if (range !== undefined) return { ...range, breadth };
  }
  return null;
}

function readRange(text: string, index: number): MediaRange {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith('q='));
  return { type, weight: weight === undefined ? 1 : Number(weight.slice(2)), index };
}

/** Whether a client accepts JSON and not plain text: only then the token is answered in an object (docs/spec/decisions.md#A1). */
export const wantsJson = (accept = '*/*'): boolean => admits(accept, 'application/json') && !admits(accept, 'text/plain');
