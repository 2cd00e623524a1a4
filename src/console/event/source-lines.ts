/** Bytes of the page that a rule judged. */
export interface MarkedBytes {
  readonly from: number;
  readonly to: number;
  readonly result: 'failed' | 'passed';
}

/** A rule that found nothing is compared with the whole page: no place in it is more to blame than another. */
export const isWholePage = ({ from, to }: Pick<MarkedBytes, 'from' | 'to'>, size: number): boolean => to - from > size * 0.9;

/** Why there is no page to show. */
export const missingPage = ({ answer, reason }: { readonly answer: object | null; readonly reason: string | null }): string =>
  answer === null ? `No page came${reason === null ? '' : `: ${reason}`}.` : 'The page itself is no longer kept.';

export interface SourceLine {
  readonly number: number;
  readonly parts: readonly { readonly text: string; readonly result: 'failed' | 'passed' | null }[];
}

/** More lines are loaded when they are asked for. */
export const SHOWN_LINES = 2_000;
const LONGEST_LINE = 2_000;

/** The lines of a page with the marked bytes in them. Offsets count the bytes of its UTF-8 text; of overlapping marks a failed one wins. */
export function sourceLines(text: string, marks: readonly MarkedBytes[], from = 0, count = SHOWN_LINES): readonly SourceLine[] {
  const encoder = new TextEncoder();
  const lines: SourceLine[] = [];
  const all = text.split('\n');
  let at = 0;
  for (const [index, line] of all.entries()) {
    if (index >= from + count) break;
    const bytes = encoder.encode(`${line}\n`);
    if (index >= from) lines.push({ number: index + 1, parts: partsOf(bytes.subarray(0, bytes.length - 1), at, marks) });
    at += bytes.length;
  }
  return lines;
}

function partsOf(bytes: Uint8Array, begin: number, marks: readonly MarkedBytes[]): SourceLine['parts'] {
  const end = begin + bytes.length;
  const inLine = marks.filter((mark) => mark.from < end && mark.to > begin);
  const edges = [...new Set([begin, end, ...inLine.flatMap(({ from, to }) => [Math.max(begin, from), Math.min(end, to)])])].sort(
    (one, other) => one - other,
  );
  const decoder = new TextDecoder();
  return edges.slice(0, -1).map((from, index) => {
    const to = edges[index + 1] ?? end;
    const found = inLine.filter((mark) => mark.from <= from && mark.to >= to);
    const text = decoder.decode(bytes.subarray(from - begin, to - begin));
    return {
      text: text.length > LONGEST_LINE ? `${text.slice(0, LONGEST_LINE)}…` : text,
      result: found.some(({ result }) => result === 'failed') ? 'failed' : found.length > 0 ? 'passed' : null,
    };
  });
}
