/** interface.md, Test (check), "Allowed rule types". */
export const RULE_TYPES = [
  'text',
  'html',
  'status',
  'header',
  'location',
  'title',
  'meta-description',
  'meta-og:title',
  'meta-og:description',
  'meta-og:image',
  'meta-og:type',
  'meta-og:url',
  'meta-og:site_name',
  'meta-og:locale',
  'meta-og:updated_time',
  'meta-og:logo',
  'meta-article:modified_time',
  'meta-article:published_time',
  'meta-article:publisher',
  'meta-article:section',
  'meta-article:tag',
  'meta-twitter:title',
  'meta-twitter:image',
  'meta-twitter:description',
  'meta-twitter:card',
  'meta-twitter:site',
  'meta-twitter:creator',
  'meta-itemprop:name',
  'meta-itemprop:author',
  'meta-itemprop:description',
  'meta-itemprop:image',
] as const;

export const OPERATORS = ['eq', 'sub', '!sub', 'match', '!match', 'xpath', 'regex', '!regex'] as const;

export type RuleType = (typeof RULE_TYPES)[number];
export type Operator = (typeof OPERATORS)[number];

export interface Rule {
  readonly type: RuleType;
  readonly op: Operator;
  readonly val: string;
}

/** Operators that look at values; XPath looks at the tree. */
export type ValueOperator = Exclude<Operator, 'xpath'>;
export type Comparison = 'eq' | 'sub' | 'match' | 'regex';

export const isNegative = (op: ValueOperator): boolean => op.startsWith('!');

const COMPARISONS = {
  eq: 'eq',
  sub: 'sub',
  '!sub': 'sub',
  match: 'match',
  '!match': 'match',
  regex: 'regex',
  '!regex': 'regex',
} as const satisfies Record<ValueOperator, Comparison>;

export const comparisonOf = (op: ValueOperator): Comparison => COMPARISONS[op];
