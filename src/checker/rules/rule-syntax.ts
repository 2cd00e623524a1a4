import { compilePattern } from './patterns.ts';
import type { RuleCondition } from './rule.ts';

export interface RuleProblem {
  /** Index of the rule. */
  readonly rule: number;
  /** Such as "rule 2 (html xpath): …". */
  readonly sentence: string;
}

/** What is wrong with each XPath, or null; see `Judge.xpathProblems`. */
export type XPathProblems = (expressions: readonly string[]) => Promise<readonly (string | null)[]>;

const problem = (rules: readonly RuleCondition[], index: number, reason: string): RuleProblem => {
  const rule = rules[index];
  return { rule: index, sentence: `rule ${String(index + 1)} (${rule?.type ?? ''} ${rule?.op ?? ''}): ${reason}` };
};

/** Why rules cannot be saved: an XPath on another type than `html`, an invalid XPath or an invalid pattern. */
export async function checkRuleSyntax(rules: readonly RuleCondition[], xpathProblems: XPathProblems): Promise<RuleProblem[]> {
  const problems: RuleProblem[] = [];
  const xpaths: { index: number; expression: string }[] = [];
  for (const [index, { type, op, val }] of rules.entries()) {
    if (op === 'xpath' && type !== 'html') problems.push(problem(rules, index, 'an XPath applies to html only'));
    else if (op === 'xpath') xpaths.push({ index, expression: val });
    if (op !== 'regex' && op !== '!regex') continue;
    const compiled = compilePattern(val);
    if (!compiled.ok) problems.push(problem(rules, index, `the pattern cannot be read: ${compiled.reason}`));
  }
  if (xpaths.length === 0) return problems;
  const answers = await xpathProblems(xpaths.map(({ expression }) => expression));
  for (const [i, { index }] of xpaths.entries()) {
    const reason = answers[i] ?? null;
    if (reason !== null) problems.push(problem(rules, index, `the XPath cannot be used: ${reason}`));
  }
  return problems.sort((a, b) => a.rule - b.rule);
}
