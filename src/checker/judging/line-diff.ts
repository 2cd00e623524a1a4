/** A stretch that differs: lines `aFrom` up to `aTo` of the one text, `bFrom` up to `bTo` of the other, ends excluded. */
export interface LineChange {
  readonly aFrom: number;
  readonly aTo: number;
  readonly bFrom: number;
  readonly bTo: number;
}

/** Cells of one table of the exact comparison, and of all of them. */
const MAX_TABLE = 1_000_000;
const MAX_CELLS = 20_000_000;
/** Lines that may be visited, over all regions. */
const MAX_VISITS = 20_000_000;

/**
 * Patience diff: lines that are unique in both texts are matched in order, and the regions between them likewise; what has no such line is compared
 * exactly (longest common subsequence). Beyond a fixed amount of work a region counts as changed, so that hostile texts cost no more than others.
 */
export function diffLines(a: readonly string[], b: readonly string[]): readonly LineChange[] {
  const changes: LineChange[] = [];
  const pending: LineChange[] = [{ aFrom: 0, aTo: a.length, bFrom: 0, bTo: b.length }];
  let [cells, visits] = [0, 0];
  for (let region = pending.pop(); region !== undefined; region = pending.pop()) {
    const { aFrom, aTo, bFrom, bTo } = trimmed(a, b, region);
    if (aFrom === aTo && bFrom === bTo) continue;
    const [height, width] = [aTo - aFrom, bTo - bFrom];
    visits += height + width;
    const inner = { aFrom, aTo, bFrom, bTo };
    const isExhausted = visits > MAX_VISITS;
    const matches = height === 0 || width === 0 || isExhausted ? [] : uniqueMatches(a, b, inner);
    if (matches.length > 0) pending.push(...between(inner, matches));
    else if (height === 0 || width === 0 || isExhausted || height * width > MAX_TABLE || cells + height * width > MAX_CELLS)
      changes.push(inner);
    else {
      cells += height * width;
      changes.push(...between(inner, longestCommon(a, b, inner)).filter((one) => one.aFrom < one.aTo || one.bFrom < one.bTo));
    }
  }
  return changes.sort((one, other) => one.aFrom - other.aFrom || one.bFrom - other.bFrom);
}

type Match = readonly [a: number, b: number];

function trimmed(a: readonly string[], b: readonly string[], { aFrom, aTo, bFrom, bTo }: LineChange): LineChange {
  let [first, other, end, otherEnd] = [aFrom, bFrom, aTo, bTo];
  while (first < end && other < otherEnd && a[first] === b[other]) [first, other] = [first + 1, other + 1];
  while (end > first && otherEnd > other && a[end - 1] === b[otherEnd - 1]) [end, otherEnd] = [end - 1, otherEnd - 1];
  return { aFrom: first, aTo: end, bFrom: other, bTo: otherEnd };
}

/** The regions around the matches, which are in order. */
function between({ aFrom, aTo, bFrom, bTo }: LineChange, matches: readonly Match[]): LineChange[] {
  const regions: LineChange[] = [];
  let [a, b] = [aFrom, bFrom];
  for (const [nextA, nextB] of matches) {
    if (a < nextA || b < nextB) regions.push({ aFrom: a, aTo: nextA, bFrom: b, bTo: nextB });
    [a, b] = [nextA + 1, nextB + 1];
  }
  if (a < aTo || b < bTo) regions.push({ aFrom: a, aTo, bFrom: b, bTo });
  return regions;
}

const REPEATED = -1;

function placesOfUnique(lines: readonly string[], from: number, to: number): Map<string, number> {
  const places = new Map<string, number>();
  for (let at = from; at < to; at++) places.set(lines[at] ?? '', places.has(lines[at] ?? '') ? REPEATED : at);
  return places;
}

/** Lines that are unique in both regions: the longest series of them in the same order (patience sorting). */
function uniqueMatches(a: readonly string[], b: readonly string[], { aFrom, aTo, bFrom, bTo }: LineChange): readonly Match[] {
  const inA = placesOfUnique(a, aFrom, aTo);
  const inB = placesOfUnique(b, bFrom, bTo);
  const pairs: Match[] = [];
  for (const [line, at] of inA) {
    const other = inB.get(line);
    if (at !== REPEATED && other !== undefined && other !== REPEATED) pairs.push([at, other]);
  }
  const tails: number[] = [];
  const before = new Int32Array(pairs.length);
  pairs.forEach(([, place], index) => {
    let [low, high] = [0, tails.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[tails[middle] ?? 0]?.[1] ?? 0) < place) low = middle + 1;
      else high = middle;
    }
    before[index] = low === 0 ? -1 : (tails[low - 1] ?? -1);
    tails[low] = index;
  });
  const matches: Match[] = [];
  for (let at = tails.at(-1) ?? -1; at >= 0; at = before[at] ?? -1) matches.push(pairs[at] ?? [0, 0]);
  return matches.reverse();
}

/** By dynamic programming. */
function longestCommon(a: readonly string[], b: readonly string[], { aFrom, aTo, bFrom, bTo }: LineChange): readonly Match[] {
  const [height, width] = [aTo - aFrom, bTo - bFrom];
  const lengths = new Uint32Array((height + 1) * (width + 1));
  const at = (row: number, column: number): number => lengths[row * (width + 1) + column] ?? 0;
  for (let row = height - 1; row >= 0; row--)
    for (let column = width - 1; column >= 0; column--)
      lengths[row * (width + 1) + column] =
        a[aFrom + row] === b[bFrom + column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
  const matches: Match[] = [];
  for (let [row, column] = [0, 0]; row < height && column < width;) {
    if (a[aFrom + row] === b[bFrom + column]) matches.push([aFrom + row++, bFrom + column++]);
    else if (at(row + 1, column) >= at(row, column + 1)) row++;
    else column++;
  }
  return matches;
}
