interface Range {
  readonly type: string;
  readonly weight: number;
  /** Where it stands among the others. */
  readonly place: number;
}

interface Match extends Range {
  /** 0: it is named, 1: its family is, 2: everything is. */
  readonly breadth: number;
}

export const admits = (accept: string, type: string): boolean => (matchOf(rangesIn(accept), type)?.weight ?? 0) > 0;

/** Of what there is what a client likes best: by weight, then what it names over what it merely includes, then what it names first. Null: none of it. */
export function preferredOf<Type extends string>(accept: string, types: readonly Type[]): Type | null {
  const ranges = rangesIn(accept);
  const admitted = types.flatMap((type) => {
    const match = matchOf(ranges, type);
    return match !== null && match.weight > 0 ? [{ type, match }] : [];
  });
  const [best] = admitted.toSorted(
    ({ match: a }, { match: b }) => b.weight - a.weight || a.breadth - b.breadth || (a.breadth === 0 ? a.place - b.place : 0),
  );
  return best?.type ?? null;
}

const rangesIn = (accept: string): readonly Range[] => accept.split(',').map(readRange);

/** The most specific range decides. */
function matchOf(ranges: readonly Range[], type: string): Match | null {
  const [family = ''] = type.split('/');
  for (const [breadth, pattern] of [type, `${family}/*`, '*/*'].entries()) {
    const range = ranges.find((one) => one.type === pattern);
    if (range !== undefined) return { ...range, breadth };
  }
  return null;
}

function readRange(text: string, place: number): Range {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith('q='));
  return { type, weight: weight === undefined ? 1 : Number(weight.slice(2)), place };
}

/** Whether a client takes JSON and no plain text: then, and only then, the token comes in an object (docs/spec/decisions.md#A1). */
export const wantsJson = (accept = '*/*'): boolean => admits(accept, 'application/json') && !admits(accept, 'text/plain');
