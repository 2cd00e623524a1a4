import { shortened } from '../../kernel/text.ts';
import { comparisonOf, isNegative, type RuleCondition, type ValueOperator } from './rule.ts';

/** The length limit of a failure (docs/spec/decisions.md#T4). */
export const MAX_SENTENCE = 200;

const VERBS = {
  eq: ['to be', 'not to be'],
  match: ['to be exactly', 'not to be exactly'],
  sub: ['to contain', 'not to contain'],
  regex: ['to match the pattern', 'not to match the pattern'],
  lt: ['to be less than', ''],
  lte: ['to be at most', ''],
  gt: ['to be more than', ''],
  gte: ['to be at least', ''],
} as const;

const tidy = (text: string): string => text.slice(0, 2 * MAX_SENTENCE).replace(/[\s\p{Cc}]+/gu, ' ');

/** Builds a sentence from fixed words and two quotes, which share the remaining room. */
function quoting(before: string, wanted: string, between: string, found: string, after: string): string {
  const room = MAX_SENTENCE - before.length - between.length - after.length - 4;
  const half = Math.floor(room / 2);
  const left = tidy(wanted);
  const right = tidy(found);
  const forLeft = Math.min(left.length, Math.max(half, room - right.length));
  return `${before}"${shortened(left, forLeft)}"${between}"${shortened(right, room - forLeft)}"${after}`;
}

const CUT = ', but the page was cut after 5 MiB';

/** The parameter of a type, such as a JSONPath, may be longer than a sentence. */
const MAX_LABEL = 80;

export interface Found {
  readonly label: string;
  /** The value found; null if there was none, which `absent` describes. */
  readonly value: string | null;
  readonly absent: string;
  /** The missing part of a cut page could change the result. */
  readonly undecided: boolean;
}

/** Such as "expected status 200, got 500". */
export function failureSentence(
  { op, val, type }: RuleCondition & { readonly op: ValueOperator },
  { label, value, absent, undecided }: Found,
): string {
  if (type === 'status' && op === 'eq') return shortened(`expected status ${tidy(val)}, got ${value ?? ''}`, MAX_SENTENCE);
  const before = `expected ${shortened(label, MAX_LABEL)} ${VERBS[comparisonOf(op)][isNegative(op) ? 1 : 0]} `;
  const end = undecided ? CUT : '';
  if (value === null) {
    const rest = `, found ${absent}${end}`;
    return shortened(`${before}"${shortened(tidy(val), MAX_SENTENCE - before.length - rest.length - 2)}"${rest}`, MAX_SENTENCE);
  }
  return quoting(before, val, ', found ', value, end);
}

const SURROUNDINGS = 40;

/** The surroundings of an unwanted text. */
export function around(value: string, what: string): string {
  const at = value.indexOf(what);
  if (at < 0) return value;
  const from = Math.max(0, at - SURROUNDINGS);
  return `${from > 0 ? '…' : ''}${value.slice(from, at + what.length + SURROUNDINGS)}`;
}

/** `found`: the result of the XPath, in words. */
export function xpathSentence(expression: string, found: string): string {
  const before = 'expected the XPath ';
  const after = ` to hold, ${found}`;
  return `${before}"${shortened(tidy(expression), MAX_SENTENCE - before.length - after.length - 2)}"${after}`;
}
