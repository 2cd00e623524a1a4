import type { Extraction } from '../../projects/checks/extraction.ts';
import type { CheckType } from '../../projects/checks/check.settings.ts';
import type { ByteRange } from '../locating/located-page.ts';
import type { FetchedHomepage, HomepageFindings } from '../page/homepage.ts';
import type { RuleCondition } from '../rules/rule.ts';
import type { Expression } from '../../projects/checks/rule-syntax.ts';
import type { StoredAnswer } from '../rules/stored-answer.ts';

/** One answer to judge. */
export interface JudgeJob {
  readonly answer: StoredAnswer;
  readonly rules: readonly RuleCondition[];
  readonly type: CheckType;
  /** Known error pages fail a check that otherwise passes (docs/spec/decisions.md#T9). */
  readonly defaultErrors: boolean;
  /** Every earlier passing run ended with `</html>`, and the answer is one that can be compared with them (docs/spec/decisions.md#T20). */
  readonly endExpected?: boolean;
  /** Values to take from the answer; one that is not found is a failure, numbered after the rules. */
  readonly extract?: readonly Extraction[];
}

export interface RuleFailure {
  /** Index of the rule, or the number of rules and the index of the extraction; null for the type of the check and the default errors. */
  readonly rule: number | null;
  readonly sentence: string;
}

/** Progress reports, so that a job which has to be stopped keeps the failures found so far. */
export type JudgeEvent =
  | { readonly kind: 'ruleStarted'; readonly rule: number }
  /** The page has been parsed; the remaining time depends on the expressions, not on the size of the page. */
  | { readonly kind: 'prepared' }
  | { readonly kind: 'ruleFailed'; readonly failure: RuleFailure }
  | { readonly kind: 'extracted'; readonly name: string; readonly value: string };

/** A page to compare. */
export interface ComparedPage {
  readonly name: string;
  readonly body: Uint8Array;
  readonly contentType: string;
  readonly cut: boolean;
}

export type WorkerTask =
  | { readonly kind: 'judge'; readonly job: JudgeJob }
  | { readonly kind: 'syntax'; readonly expressions: readonly Expression[] }
  | { readonly kind: 'locate'; readonly job: JudgeJob }
  | { readonly kind: 'inspect'; readonly homepage: FetchedHomepage }
  | { readonly kind: 'compare'; readonly before: ComparedPage; readonly after: ComparedPage };

/** `expressionRead`: in the order of the task; the problem is null for a valid one. */
export type WorkerReport =
  | JudgeEvent
  | ({ readonly kind: 'inspected' } & HomepageFindings)
  | { readonly kind: 'compared'; readonly diff: string }
  | { readonly kind: 'located'; readonly ranges: readonly (ByteRange | null)[] }
  | { readonly kind: 'expressionRead'; readonly problem: string | null };
