import type { Rule as SavedRule, Operator } from '../../projects/checks/rule.ts';

/** The part of a saved rule that judging needs. */
export type RuleCondition = Pick<SavedRule, 'type' | 'op' | 'val'>;

/** Operators on values; XPath is evaluated on the tree. */
export type ValueOperator = Exclude<Operator, 'xpath'>;
export type Comparison = 'eq' | 'sub' | 'match' | 'regex' | 'lt' | 'lte' | 'gt' | 'gte';

export const isNegative = (op: ValueOperator): boolean => op.startsWith('!');

const COMPARISONS = {
  eq: 'eq',
  sub: 'sub',
  '!sub': 'sub',
  match: 'match',
  '!match': 'match',
  regex: 'regex',
  '!regex': 'regex',
  lt: 'lt',
  lte: 'lte',
  gt: 'gt',
  gte: 'gte',
} as const satisfies Record<ValueOperator, Comparison>;

export const comparisonOf = (op: ValueOperator): Comparison => COMPARISONS[op];
