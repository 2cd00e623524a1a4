import type { Page } from '../page/page.ts';
import { type Comparers, ofText } from './comparers.ts';
import type { StoredAnswer } from './stored-answer.ts';

/** The values of an answer that a rule type compares. */
export interface RuleValues<Value> {
  readonly values: readonly Value[];
  /** The page was cut inside the value; of a number, that it may be larger. */
  readonly unfinished?: boolean;
  /** The page was cut; more values could follow. */
  readonly moreToCome?: boolean;
  /** Says why there is no value, instead of `absent`. */
  readonly why?: string;
  /** Why the rule cannot be evaluated: it fails, whatever its operator. */
  readonly problem?: string;
}

/**
 * What a type reads besides the body and the status, as far as it is stored with a run: the `head` of the answer, its `timing`, the number of
 * `redirects`, the `certificate`.
 */
export type AnswerPart = 'head' | 'timing' | 'redirects' | 'certificate';

export interface Row<Value> {
  /** The name used in sentences. */
  readonly label: string;
  readonly absent: string;
  readonly valuesOf: (answer: StoredAnswer, page: Page) => RuleValues<Value>;
  readonly comparers: Comparers<Value>;
  readonly shown: (value: Value) => string;
}

export interface RowTraits {
  readonly reads?: AnswerPart;
  /** Its time depends on the page in a way that needs the limits of a worker thread. */
  readonly isExpensive?: boolean;
}

/** A row with its type of value hidden (an existential type), so that all rows have one type. */
export interface RuleRow extends RowTraits {
  readonly label: string;
  readonly absent: string;
  readonly apply: <Result>(use: <Value>(row: Row<Value>) => Result) => Result;
}

export const row = <Value>(given: Row<Value>, traits: RowTraits = {}): RuleRow => ({
  label: given.label,
  absent: given.absent,
  apply: (use) => use(given),
  ...traits,
});

interface TextTraits extends RowTraits {
  readonly comparers?: Comparers<string>;
}

export const textRow = (
  label: string,
  absent: string,
  valuesOf: Row<string>['valuesOf'],
  { comparers = ofText, ...traits }: TextTraits = {},
): RuleRow => row({ label, absent, valuesOf, comparers, shown: (value: string) => value }, traits);
