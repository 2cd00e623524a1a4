/** A stretch that differs: lines `aFrom` up to `aTo` of the one text, `bFrom` up to `bTo` of the other, ends excluded. */
interface LineChange {
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

/** A text of a comparison, with the name under which its lines are shown. */
export interface NamedText {
  readonly name: string;
  readonly text: string;
}

const CONTEXT = 3;
/** Minified pages have lines of megabytes: a longer one is broken before its tags, so that the difference within it shows. */
const LONG_LINE = 1_000;
/** The most lines of a text that is compared. */
const MAX_LINES = 200_000;
const MAX_OUTPUT = 2 * 1024 * 1024;

/** The difference as `diff -u` writes it; empty when the texts are the same. Time and size are bounded. */
export function unifiedDiff(before: NamedText, after: NamedText): string {
  if (before.text === after.text) return '';
  const head = `--- ${before.name}\n+++ ${after.name}\n`;
  const [a, b] = [linesOf(before.text), linesOf(after.text)];
  if (a === null || b === null) return `${head}@@ a page has more than ${String(MAX_LINES)} lines: no differences are shown @@\n`;
  let output = head;
  for (const hunk of hunksOf(diffLines(a, b), a.length)) {
    output += written(hunk, a, b);
    if (output.length > MAX_OUTPUT) return `${output.slice(0, MAX_OUTPUT)}\n@@ more differences are left out @@\n`;
  }
  return output;
}

/** Null for a text of too many lines. */
function linesOf(text: string): string[] | null {
  let ends = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) if (++ends > MAX_LINES) return null;
  const lines = text.split('\n').flatMap((line) => (line.length > LONG_LINE ? line.split(/(?=<)/) : [line]));
  return lines.length > MAX_LINES ? null : lines;
}

/** Changes that are close together share a hunk. */
function hunksOf(changes: readonly LineChange[], lines: number): readonly (readonly LineChange[])[] {
  const hunks: LineChange[][] = [];
  for (const change of changes) {
    const last = hunks.at(-1)?.at(-1);
    if (last !== undefined && change.aFrom - last.aTo <= 2 * CONTEXT) hunks.at(-1)?.push(change);
    else if (change.aFrom <= lines) hunks.push([change]);
  }
  return hunks;
}

function written(hunk: readonly LineChange[], a: readonly string[], b: readonly string[]): string {
  const [first] = hunk;
  const last = hunk.at(-1);
  if (first === undefined || last === undefined) return '';
  const lead = Math.min(CONTEXT, first.aFrom);
  const trail = Math.min(CONTEXT, a.length - last.aTo);
  const [aFrom, bFrom] = [first.aFrom - lead, first.bFrom - lead];
  const [aCount, bCount] = [last.aTo + trail - aFrom, last.bTo + trail - bFrom];
  const lines: string[] = [`@@ -${place(aFrom, aCount)} +${place(bFrom, bCount)} @@`];
  const add = (mark: string, from: readonly string[], begin: number, end: number): void => {
    for (let at = begin; at < end; at++) lines.push(mark + (from[at] ?? ''));
  };
  let at = aFrom;
  for (const change of hunk) {
    add(' ', a, at, change.aFrom);
    add('-', a, change.aFrom, change.aTo);
    add('+', b, change.bFrom, change.bTo);
    at = change.aTo;
  }
  add(' ', a, at, at + trail);
  return `${lines.join('\n')}\n`;
}

/** An empty range names the line before it, as POSIX has it. */
const place = (from: number, count: number): string => `${String(count === 0 ? from : from + 1)},${String(count)}`;
