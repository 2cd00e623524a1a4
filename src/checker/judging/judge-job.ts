import type { CheckType } from '../detectors/check-type.ts';
import type { Rule } from '../rules/rule.ts';
import type { StoredAnswer } from '../rules/stored-answer.ts';

/** What is asked about one answer. */
export interface JudgeJob {
  readonly answer: StoredAnswer;
  readonly rules: readonly Rule[];
  readonly type: CheckType;
  /** Known error pages fail a check that otherwise passes (docs/spec/decisions.md#T9). */
  readonly defaultErrors: boolean;
}

export interface Failure {
  /** The place of the rule; null for what the type of the check or the default errors say. */
  readonly rule: number | null;
  readonly sentence: string;
}

/** What a judging tells while it goes on, so that one that must be stopped leaves behind what it already knew. */
export type JudgeEvent =
  | { readonly kind: 'begins'; readonly rule: number }
  /** The page has been read, and made a tree of; what follows depends on the expressions, not on the page's size. */
  | { readonly kind: 'prepared' }
  | { readonly kind: 'fails'; readonly failure: Failure };

/** Everything that worker threads are asked. */
export type WorkerTask =
  { readonly kind: 'judge'; readonly job: JudgeJob } | { readonly kind: 'xpath-syntax'; readonly expressions: readonly string[] };

export type WorkerReport = JudgeEvent | { readonly kind: 'syntax'; readonly problems: readonly (string | null)[] };
