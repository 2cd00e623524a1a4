/** Operators as a person reads them. */
export const OPERATORS = {
  eq: 'is',
  sub: 'contains',
  '!sub': 'does not contain',
  match: 'matches',
  '!match': 'does not match',
  regex: 'matches the pattern',
  '!regex': 'does not match the pattern',
  lt: 'is less than',
  lte: 'is at most',
  gt: 'is more than',
  gte: 'is at least',
  xpath: 'has the XPath',
} as const;
export type ShownOperator = keyof typeof OPERATORS;

/** Offered while a type is typed; any other that the service knows is taken as well (docs/rules.md). */
export const SUGGESTED_TYPES = [
  ...['status', 'text', 'html', 'title', 'header', 'location', 'time', 'size', 'redirects', 'json:$.', 'json-ld:', 'cookie:', 'cert:days'],
  ...['csp:script-src', 'meta-description', 'meta-robots', 'link-canonical', 'lang', 'hreflang', 'sitemap', 'mixed-content'],
];

/** The operator that a new rule of a type begins with. */
export const firstOperator = (type: string): ShownOperator =>
  type === 'status' ? 'eq' : /^(time|size|redirects)\b/.test(type) ? 'lt' : type === 'cert:days' ? 'gte' : 'sub';

/** Names the operator of a judged rule; a newer version of the service may know more of them. */
export const operatorWords = (op: string): string => Object.entries(OPERATORS).find(([name]) => name === op)?.[1] ?? op;
