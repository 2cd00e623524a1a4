import { comparisonOf, isNegative, type Rule, type ValueOperator } from './rule.ts';

/** A failure is told in this many characters (docs/spec/decisions.md#T4). */
export const LONGEST_SENTENCE = 200;

const VERBS = {
  eq: ['to be', 'not to be'],
  match: ['to be exactly', 'not to be exactly'],
  sub: ['to contain', 'not to contain'],
  regex: ['to match the pattern', 'not to match the pattern'],
} as const;

/** Never ends in half a character. */
export function shortened(text: string, length: number): string {
  if (text.length <= length) return text;
  const end = Math.max(0, length - 1);
  return `${text.slice(0, /[\ud800-\udbff]/.test(text.charAt(end - 1)) ? end - 1 : end)}…`;
}

const tidy = (text: string): string => text.slice(0, 2 * LONGEST_SENTENCE).replace(/[\s\p{Cc}]+/gu, ' ');

/** A sentence out of fixed words and two quotes that share what room is left. */
function quoting(before: string, wanted: string, between: string, found: string, after: string): string {
  const room = LONGEST_SENTENCE - before.length - between.length - after.length - 4;
  const half = Math.floor(room / 2);
  const left = tidy(wanted);
  const right = tidy(found);
  const forLeft = Math.min(left.length, Math.max(half, room - right.length));
  return `${before}"${shortened(left, forLeft)}"${between}"${shortened(right, room - forLeft)}"${after}`;
}

const CUT = ', but the page was cut after 5 MiB';

export interface Found {
  readonly label: string;
  /** What was there, or null when nothing was; then `absent` says so. */
  readonly value: string | null;
  readonly absent: string;
  /** The missing part of the page could decide it otherwise. */
  readonly undecided: boolean;
}

/** "expected status 200, got 500": what should have been, and what was. */
export function failureSentence(
  { op, val, type }: Rule & { readonly op: ValueOperator },
  { label, value, absent, undecided }: Found,
): string {
  if (type === 'status' && op === 'eq') return shortened(`expected status ${tidy(val)}, got ${value ?? ''}`, LONGEST_SENTENCE);
  const before = `expected ${label} ${VERBS[comparisonOf(op)][isNegative(op) ? 1 : 0]} `;
  const end = undecided ? CUT : '';
  if (value === null) {
    const rest = `, found ${absent}${end}`;
    return `${before}"${shortened(tidy(val), LONGEST_SENTENCE - before.length - rest.length - 2)}"${rest}`;
  }
  return quoting(before, val, ', found ', value, end);
}

const SURROUNDINGS = 40;

/** The place where something stands that should not. */
export function around(value: string, what: string): string {
  const at = value.indexOf(what);
  if (at < 0) return value;
  const from = Math.max(0, at - SURROUNDINGS);
  return `${from > 0 ? '…' : ''}${value.slice(from, at + what.length + SURROUNDINGS)}`;
}

/** An XPath speaks for itself; `found` is what it came to, in words. */
export function xpathSentence(expression: string, found: string): string {
  const before = 'expected the XPath ';
  const after = ` to hold, ${found}`;
  return `${before}"${shortened(tidy(expression), LONGEST_SENTENCE - before.length - after.length - 2)}"${after}`;
}
