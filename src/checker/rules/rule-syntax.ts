import type { RuleCondition } from './rule.ts';

export interface RuleProblem {
  /** Index of the rule. */
  readonly rule: number;
  /** Such as "rule 2 (html xpath): …". */
  readonly sentence: string;
}

/** An XPath or a pattern of a rule. */
export interface Expression {
  readonly kind: 'xpath' | 'pattern';
  readonly source: string;
}

/** What is wrong with each expression, or null; a list that ends early leaves the others unread. See `Judge.syntaxProblems`. */
export type SyntaxProblems = (expressions: readonly Expression[]) => Promise<readonly (string | null)[]>;

const UNUSABLE = { xpath: 'the XPath cannot be used', pattern: 'the pattern cannot be read' } as const;

const problem = (rules: readonly RuleCondition[], index: number, reason: string): RuleProblem => {
  const rule = rules[index];
  return { rule: index, sentence: `rule ${String(index + 1)} (${rule?.type ?? ''} ${rule?.op ?? ''}): ${reason}` };
};

/** Why rules cannot be saved: an XPath on another type than `html`, an invalid XPath or an invalid pattern. */
export async function checkRuleSyntax(rules: readonly RuleCondition[], syntaxProblems: SyntaxProblems): Promise<RuleProblem[]> {
  const problems: RuleProblem[] = [];
  const expressions: (Expression & { readonly index: number })[] = [];
  for (const [index, { type, op, val }] of rules.entries()) {
    if (op === 'xpath' && type !== 'html') problems.push(problem(rules, index, 'an XPath applies to html only'));
    else if (op === 'xpath') expressions.push({ index, kind: 'xpath', source: val });
    else if (op === 'regex' || op === '!regex') expressions.push({ index, kind: 'pattern', source: val });
  }
  if (expressions.length === 0) return problems;
  const answers = await syntaxProblems(expressions.map(({ kind, source }) => ({ kind, source })));
  for (const [i, { index, kind }] of expressions.entries()) {
    const reason = answers[i] ?? null;
    if (reason !== null) problems.push(problem(rules, index, `${UNUSABLE[kind]}: ${reason}`));
  }
  return problems.sort((a, b) => a.rule - b.rule);
}
