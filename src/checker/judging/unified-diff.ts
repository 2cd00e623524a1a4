import { diffLines, type LineChange } from './line-diff.ts';

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
