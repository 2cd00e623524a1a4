import type { CheckType } from '../../domain/check/settings.ts';
import type { RuleCondition } from '../rules/rule.ts';
import type { StoredAnswer } from '../rules/stored-answer.ts';

/** One answer to judge. */
export interface JudgeJob {
  readonly answer: StoredAnswer;
  readonly rules: readonly RuleCondition[];
  readonly type: CheckType;
  /** Known error pages fail a check that otherwise passes (docs/spec/decisions.md#T9). */
  readonly defaultErrors: boolean;
}

export interface RuleFailure {
  /** Index of the rule; null for the type of the check and the default errors. */
  readonly rule: number | null;
  readonly sentence: string;
}

/** Progress reports, so that a job which has to be stopped keeps the failures found so far. */
export type JudgeEvent =
  | { readonly kind: 'ruleStarted'; readonly rule: number }
  /** The page has been parsed; the remaining time depends on the expressions, not on the size of the page. */
  | { readonly kind: 'prepared' }
  | { readonly kind: 'ruleFailed'; readonly failure: RuleFailure };

export type WorkerTask =
  { readonly kind: 'judge'; readonly job: JudgeJob } | { readonly kind: 'xpath-syntax'; readonly expressions: readonly string[] };

export type WorkerReport = JudgeEvent | { readonly kind: 'syntax'; readonly problems: readonly (string | null)[] };
