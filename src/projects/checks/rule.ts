/** The part of a response that a rule judges (docs/spec/interface.md#test-check; from `time` on docs/spec/decisions.md#T16). */
export const ruleTypes = [
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
  'time',
  'size',
  'redirects',
  'link-canonical',
  'meta-robots',
  'lang',
  'hreflang',
  'sitemap',
  'mixed-content',
] as const;
export type PlainRuleType = (typeof ruleTypes)[number];

/** Types that name what they judge after a colon. */
export const ruleFamilies = [
  'json',
  'json-ld',
  'csp',
  'cookie',
  'cert',
  'time',
  'redirects',
  'meta-robots',
  'hreflang',
  'sitemap',
  'robots',
  'mixed-content',
] as const;
export type RuleFamily = (typeof ruleFamilies)[number];
export type RuleType = PlainRuleType | `${RuleFamily}:${string}`;

/** `regex` and `!regex` go beyond the interface (docs/spec/decisions.md#T5), and so do those that compare numbers (docs/spec/decisions.md#T17). */
export const operators = ['eq', 'sub', '!sub', 'match', '!match', 'xpath', 'regex', '!regex', 'lt', 'lte', 'gt', 'gte'] as const;
export type Operator = (typeof operators)[number];

export interface Rule {
  readonly type: RuleType;
  readonly op: Operator;
  readonly val: string;
  readonly origin: string;
  readonly templateId: string;
  readonly order: number;
}
