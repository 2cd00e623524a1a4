import type { Page } from '../page/page.ts';
import type { ComparisonResult } from './comparers.ts';
import { compilePattern } from './patterns.ts';
import { comparisonOf, isNegative, type RuleCondition, type ValueOperator } from './rule.ts';
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
    const compare = row.comparers[comparison];
    let some: ComparisonResult = moreToCome ? 'open' : 'broken';
    let shown = values[0];
    for (const value of values) {
      const decision = compare(value, rule.val, unfinished);
      if (decision === 'broken') continue;
      some = decision;
      shown = value;
      if (decision === 'holds') break;
    }
    const decision = negative ? opposite(some) : some;
    if (decision === 'holds') return null;
    const value = shown === undefined ? null : row.shown(shown);
    const found = value !== null && rule.op === '!sub' ? around(value, rule.val) : value;
    return failureSentence(rule, { label, absent: why, value: foundIn(rule, found, answer), undecided: decision === 'open' });
  });
}

/** For headers, shows those that the rule names. */
function foundIn({ type, op, val }: RuleCondition, value: string | null, answer: StoredAnswer): string | null {
  if (type !== 'header' || op.startsWith('!')) return value;
  const name = (val.split(':')[0] ?? '').trim().toLowerCase();
  const named = answer.headers.filter(([key]) => key.toLowerCase() === name).map(([key, text]) => `${key}: ${text}`);
  return named.length === 0 ? null : named.join(', ');
}
