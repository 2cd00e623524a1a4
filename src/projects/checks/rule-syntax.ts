import { familyOf, operatorMisfit, operatorProblem } from './rule-type.ts';
import type { Rule } from './rule.ts';

type RuleCondition = Pick<Rule, 'type' | 'op' | 'val'>;

export interface RuleProblem {
  /** Index of the rule. */
  readonly rule: number;
  /** The field of the rule that is wrong. */
  readonly field: 'type' | 'op' | 'val';
  /** Such as "rule 2 (html xpath): …". */
  readonly sentence: string;
}

/** An XPath, a pattern or a JSONPath of a rule; `capture`: a pattern with one group, of an extraction. */
export interface Expression {
  readonly kind: 'xpath' | 'pattern' | 'jsonPath' | 'capture';
  readonly source: string;
}

/** What is wrong with each expression, or null; a list that ends early leaves the others unread. See `Judge.syntaxProblems`. */
export type SyntaxProblems = (expressions: readonly Expression[]) => Promise<readonly (string | null)[]>;

const UNUSABLE = {
  xpath: 'the XPath cannot be used',
  pattern: 'the pattern cannot be read',
  jsonPath: 'the JSONPath cannot be used',
} as const;

const problem = (rules: readonly RuleCondition[], index: number, field: RuleProblem['field'], reason: string): RuleProblem => {
  const rule = rules[index];
  return { rule: index, field, sentence: `rule ${String(index + 1)} (${rule?.type ?? ''} ${rule?.op ?? ''}): ${reason}` };
};

/** Why rules cannot be saved: an operator that does not fit the type, or an invalid XPath, pattern or JSONPath. */
export async function checkRuleSyntax(rules: readonly RuleCondition[], syntaxProblems: SyntaxProblems): Promise<RuleProblem[]> {
  const problems: RuleProblem[] = [];
  const expressions: (Expression & { readonly kind: keyof typeof UNUSABLE; readonly index: number })[] = [];
  for (const [index, { type, op, val }] of rules.entries()) {
    const named = familyOf(type);
    if (named?.family === 'json') expressions.push({ index, kind: 'jsonPath', source: named.parameter });
    const unfit = operatorProblem(type, op, val);
    if (unfit !== null) problems.push(problem(rules, index, operatorMisfit(type, op) === null ? 'val' : 'op', unfit));
    else if (op === 'xpath') expressions.push({ index, kind: 'xpath', source: val });
    else if (op === 'regex' || op === '!regex') expressions.push({ index, kind: 'pattern', source: val });
  }
  if (expressions.length === 0) return problems;
  const answers = await syntaxProblems(expressions.map(({ kind, source }) => ({ kind, source })));
  for (const [i, { index, kind }] of expressions.entries()) {
    const reason = answers[i] ?? null;
    if (reason !== null) problems.push(problem(rules, index, kind === 'jsonPath' ? 'type' : 'val', `${UNUSABLE[kind]}: ${reason}`));
  }
  return problems.sort((a, b) => a.rule - b.rule);
}
