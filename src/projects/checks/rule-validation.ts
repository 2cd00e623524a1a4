import { checkRuleSyntax, type Expression, type SyntaxProblems } from './rule-syntax.ts';
import type { GroupRule } from '../areas/area.settings.ts';
import { type Extraction, extractionSource } from './extraction.ts';
import type { Rule } from './rule.ts';
import { InvalidInput } from '../../kernel/errors.ts';

/** The path of a rule in a list. */
export const ruleAt =
  (list: string) =>
  (index: number): string =>
    `${list}.${String(index)}`;

/** Reads rules before they are saved. The worker that reads expressions is a function, so that a command loads it with the first expression alone. */
export class RuleValidation {
  constructor(private readonly syntaxProblems: SyntaxProblems) {}

  /** Refuses rules with a syntax error in an XPath or a pattern (docs/spec/decisions.md#T5). `pathOf`: that of a rule, by its index. */
  async refuseInvalid(rules: readonly (Rule | GroupRule)[], pathOf = ruleAt('rules')): Promise<void> {
    const problems = await checkRuleSyntax(rules as readonly Rule[], this.syntaxProblems);
    const refused = problems.map(({ rule, field, sentence }) => {
      const param = `${pathOf(rule)}.${field}`;
      return { param, message: `${param}: ${sentence}` };
    });
    if (refused.length > 0) throw new InvalidInput(refused);
  }

  /** Refuses extractions with a syntax error in a JSONPath or a pattern. */
  async refuseInvalidExtractions(extract: readonly Extraction[]): Promise<void> {
    const expressions = extract.flatMap(({ from }, index): (Expression & { readonly from: string; readonly param: string })[] => {
      const source = extractionSource(from);
      const param = `options.extract.${String(index)}.from`;
      if (source?.kind === 'json') return [{ kind: 'jsonPath', source: source.parameter, from, param }];
      return source?.kind === 'pattern' ? [{ kind: 'capture', source: source.parameter, from, param }] : [];
    });
    if (expressions.length === 0) return;
    const found = await this.syntaxProblems(expressions.map(({ kind, source }) => ({ kind, source })));
    const problems = expressions.flatMap(({ from, param }, index) => {
      const reason = found[index] ?? null;
      return reason === null ? [] : [{ param, message: `${param}: ${from.slice(0, 100)} cannot be used: ${reason}` }];
    });
    if (problems.length > 0) throw new InvalidInput(problems);
  }
}
