import { compilePattern } from './patterns.ts';
import type { Rule } from './rule.ts';

export interface RuleProblem {
  /** The place of the rule. */
  readonly rule: number;
  /** A sentence that names it: "rule 2 (html xpath): …". */
  readonly sentence: string;
}

/** Tells what is wrong with each XPath, or null; see `Judge.xpathProblems`. */
export type XPathProblems = (expressions: readonly string[]) => Promise<readonly (string | null)[]>;

const told = (rules: readonly Rule[], place: number, reason: string): RuleProblem => {
  const rule = rules[place];
  return { rule: place, sentence: `rule ${String(place + 1)} (${rule?.type ?? ''} ${rule?.op ?? ''}): ${reason}` };
};

/** What keeps rules from being saved: an XPath elsewhere than on `html`, an XPath or a pattern that cannot be read. */
export async function checkRuleSyntax(rules: readonly Rule[], xpathProblems: XPathProblems): Promise<RuleProblem[]> {
  const problems: RuleProblem[] = [];
  const xpaths: { place: number; expression: string }[] = [];
  for (const [place, { type, op, val }] of rules.entries()) {
    if (op === 'xpath' && type !== 'html') problems.push(told(rules, place, 'an XPath looks at html only'));
    else if (op === 'xpath') xpaths.push({ place, expression: val });
    if (op !== 'regex' && op !== '!regex') continue;
    const compiled = compilePattern(val);
    if (!compiled.ok) problems.push(told(rules, place, `the pattern cannot be read: ${compiled.reason}`));
  }
  if (xpaths.length === 0) return problems;
  const answers = await xpathProblems(xpaths.map(({ expression }) => expression));
  for (const [i, { place }] of xpaths.entries()) {
    const reason = answers[i] ?? null;
    if (reason !== null) problems.push(told(rules, place, `the XPath cannot be used: ${reason}`));
  }
  return problems.sort((a, b) => a.rule - b.rule);
}
