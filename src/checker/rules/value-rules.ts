import type { Page } from '../page/page.ts';
import { type ComparisonResult, shownLine } from './comparers.ts';
import { compilePattern } from './patterns.ts';
import { comparisonOf, isNegative, type RuleCondition, type ValueOperator } from './rule.ts';
import type { RuleValues } from './rule-row.ts';
import { rowOf } from './rule-table.ts';
import { around, failureSentence } from './sentences.ts';
import type { StoredAnswer } from './stored-answer.ts';

const opposite = (decision: ComparisonResult): ComparisonResult =>
  decision === 'open' ? 'open' : decision === 'holds' ? 'broken' : 'holds';

/** Why the rule is not met, or null if it is. A positive rule needs one matching value, a negative one tolerates none. */
export function valueFailure(rule: RuleCondition & { readonly op: ValueOperator }, answer: StoredAnswer, page: Page): string | null {
  const { label, absent, apply } = rowOf(rule.type);
  const comparison = comparisonOf(rule.op);
  const negative = isNegative(rule.op);
  if (comparison === 'regex') {
    const compiled = compilePattern(rule.val);
    if (!compiled.ok) return `the pattern could not be tried: ${compiled.reason}`;
  }
  return apply((row) => {
    const { values, unfinished = false, moreToCome = false, why = absent, problem } = row.valuesOf(answer, page);
    if (problem !== undefined) return failureSentence(rule, { label, absent: problem, value: null, undecided: false });
    const { some, index } = decide({ values, unfinished, moreToCome }, (value) => row.comparers[comparison](value, rule.val, unfinished));
    const decision = negative ? opposite(some) : some;
    if (decision === 'holds') return null;
    const shown = values[index];
    const value = shown === undefined ? null : row.shown(shown);
    const found = value !== null && rule.op === '!sub' ? around(value, rule.val) : value;
    return failureSentence(rule, { label, absent: why, value: foundIn(rule, found, answer), undecided: decision === 'open' });
  });
}

/** What the values decide together, and which of them does: the first where none does. */
function decide<Value>(
  { values, moreToCome = false }: RuleValues<Value>,
  compare: (value: Value) => ComparisonResult,
): { readonly some: ComparisonResult; readonly index: number } {
  let some: ComparisonResult = moreToCome ? 'open' : 'broken';
  let index = 0;
  for (const [at, value] of values.entries()) {
    const decision = compare(value);
    if (decision === 'broken') continue;
    [some, index] = [decision, at];
    if (decision === 'holds') break;
  }
  return { some, index };
}

export interface DecidingValue {
  /** Among the values that the type of the rule reads. */
  readonly index: number;
  readonly text: string;
  /** Whether the comparison holds for it, without the negation of the operator. */
  readonly holds: boolean;
}

/** The value that decides a rule; null where it has none to compare. */
export function decidingValue(
  rule: RuleCondition & { readonly op: ValueOperator },
  answer: StoredAnswer,
  page: Page,
): DecidingValue | null {
  const comparison = comparisonOf(rule.op);
  if (comparison === 'regex' && !compilePattern(rule.val).ok) return null;
  return rowOf(rule.type).apply((row) => {
    const found = row.valuesOf(answer, page);
    const { some, index } = decide(found, (value) => row.comparers[comparison](value, rule.val, found.unfinished ?? false));
    const value = found.values[index];
    return value === undefined || found.problem !== undefined ? null : { index, text: row.shown(value), holds: some === 'holds' };
  });
}

/** For headers, shows those that the rule names. */
function foundIn({ type, op, val }: RuleCondition, value: string | null, answer: StoredAnswer): string | null {
  if (type !== 'header' || op.startsWith('!')) return value;
  const name = (val.split(':')[0] ?? '').trim().toLowerCase();
  const named = answer.headers.filter(([key]) => key.toLowerCase() === name).map(shownLine);
  return named.length === 0 ? null : named.join(', ');
}
