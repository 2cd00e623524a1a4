import type { ImportedRule } from './imported-site.ts';

export interface StatusRange {
  readonly from: number;
  readonly to: number;
}

const [LOWEST, HIGHEST] = [100, 999];

const status = (op: string, val: number | string): ImportedRule => ({ type: 'status', op, val: String(val) });

/** The rules that hold for exactly these status codes: comparisons for one range, a pattern for several. */
export function statusRules(ranges: readonly StatusRange[]): readonly ImportedRule[] {
  const joined = joinedRanges(ranges);
  const [first, ...others] = joined;
  if (first === undefined || (first.from <= LOWEST && first.to >= HIGHEST)) return [];
  if (others.length > 0) return [status('regex', `^(?:${joined.map(rangePattern).join('|')})$`)];
  if (first.from === first.to) return [status('eq', first.from)];
  return [...(first.from > LOWEST ? [status('gte', first.from)] : []), ...(first.to < HIGHEST ? [status('lte', first.to)] : [])];
}

/** `200`, `200-299`, `2xx`, in any case; null for anything else. */
export function readStatusRange(text: string): StatusRange | null {
  const [, family] = /^([1-9])xx$/i.exec(text.trim()) ?? [];
  if (family !== undefined) return { from: Number(family) * 100, to: Number(family) * 100 + 99 };
  const [, from, to = from] = /^(\d{3})(?:\s*-\s*(\d{3}))?$/.exec(text.trim()) ?? [];
  if (from === undefined || Number(from) > Number(to)) return null;
  return { from: Number(from), to: Number(to) };
}

/** Whether a page that answers as pages usually do can satisfy the rules: only such an address says whether the site is up. */
export const mayBeUp = (ranges: readonly StatusRange[]): boolean =>
  ranges.length === 0 || ranges.some(({ from, to }) => from < 400 && to >= 200);

function joinedRanges(ranges: readonly StatusRange[]): readonly StatusRange[] {
  const joined: StatusRange[] = [];
  for (const range of ranges.toSorted((a, b) => a.from - b.from)) {
    const last = joined.at(-1);
    if (last !== undefined && range.from <= last.to + 1) joined[joined.length - 1] = { from: last.from, to: Math.max(last.to, range.to) };
    else joined.push(range);
  }
  return joined;
}

/** A range within three digits as the shortest alternatives: `2\d\d`, `30[1-8]`. */
function rangePattern({ from, to }: StatusRange): string {
  const parts: string[] = [];
  for (let code = from; code <= to;) {
    const step = [100, 10].find((size) => code % size === 0 && code + size - 1 <= to) ?? 1;
    if (step > 1) {
      parts.push(`${String(code / step)}${step === 100 ? String.raw`\d\d` : String.raw`\d`}`);
      code += step;
      continue;
    }
    const end = Math.min(to, code - (code % 10) + 9);
    parts.push(end === code ? String(code) : `${String(Math.floor(code / 10))}[${String(code % 10)}-${String(end % 10)}]`);
    code = end + 1;
  }
  return parts.join('|');
}
