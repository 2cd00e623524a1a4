import { checkRuleSyntax, type Expression, type SyntaxProblems } from './rule-syntax.ts';
import type { GroupRule } from '../areas/area.settings.ts';
import { type Extraction, extractionSource } from './extraction.ts';
import type { Rule } from './rule.ts';
import { InvalidInput } from '../../kernel/errors.ts';

/** Reads rules before they are saved. The worker that reads expressions is a function, so that a command loads it with the first expression alone. */
export class RuleValidation {
  constructor(private readonly syntaxProblems: SyntaxProblems) {}

  /** Refuses rules with a syntax error in an XPath or a pattern (docs/spec/decisions.md#T5). */
  async refuseInvalid(rules: readonly (Rule | GroupRule)[]): Promise<void> {
    const problems = await checkRuleSyntax(rules as readonly Rule[], this.syntaxProblems);
    if (problems.length > 0) throw new InvalidInput(problems.map(({ sentence }) => ({ param: 'rules', message: `rules: ${sentence}` })));
  }

  /** Refuses extractions with a syntax error in a JSONPath or a pattern. */
  async refuseInvalidExtractions(extract: readonly Extraction[]): Promise<void> {
    const expressions = extract.flatMap(({ from }): (Expression & { readonly from: string })[] => {
      const source = extractionSource(from);
      if (source?.kind === 'json') return [{ kind: 'jsonPath', source: source.parameter, from }];
      return source?.kind === 'pattern' ? [{ kind: 'capture', source: source.parameter, from }] : [];
    });
    if (expressions.length === 0) return;
    const found = await this.syntaxProblems(expressions.map(({ kind, source }) => ({ kind, source })));
    const problems = expressions.flatMap(({ from }, index) => {
      const reason = found[index] ?? null;
      return reason === null
        ? []
        : [{ param: 'options.extract', message: `options.extract: ${from.slice(0, 100)} cannot be used: ${reason}` }];
    });
    if (problems.length > 0) throw new InvalidInput(problems);
  }
}
