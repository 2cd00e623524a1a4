import type { PlainRuleType, RuleFamily } from '../../projects/checks/rule.ts';
import { familyOf } from '../../projects/checks/rule-type.ts';
import { governingMetaTag } from '../rules/content-security-policy.ts';
import { compilePattern } from '../rules/patterns.ts';
import { comparisonOf, type RuleCondition, type ValueOperator } from '../rules/rule.ts';
import type { StoredAnswer } from '../rules/stored-answer.ts';
import { canonicalLink } from '../rules/types/canonical.rule.ts';
import { alternatesIn } from '../rules/types/hreflang.rule.ts';
import { linkedValues } from '../rules/types/json-ld.rule.ts';
import { jsonLocation } from '../rules/types/json.rule.ts';
import { robotsTag } from '../rules/types/meta-robots.rule.ts';
import { resourceIndex } from '../rules/types/mixed-content.rule.ts';
import { robotsLines } from '../rules/types/robots.rule.ts';
import { sitemapAddresses } from '../rules/types/sitemap.rule.ts';
import type { DecidingValue } from '../rules/value-rules.ts';
import { jsonPlace } from './json-places.ts';
import type { LocatedPage } from './located-page.ts';
import type { Stretch } from './source-map.ts';

export type ValueRule = RuleCondition & { readonly op: ValueOperator };

/** A rule and the value that decides it. */
export interface PlacedRule {
  readonly rule: ValueRule;
  readonly value: DecidingValue;
  readonly answer: StoredAnswer;
  readonly page: LocatedPage;
  /** The body as JSON is read. */
  readonly json: () => string;
}

/** How the values of a type of rule are found on the page, or why they stand nowhere on it; `in` names the text that the place is in. */
export type RulePlaces =
  | { readonly in: 'page' | 'json'; readonly of: (placed: PlacedRule, parameter: string) => Stretch | null }
  | { readonly none: string };

const onPage = (of: (placed: PlacedRule, parameter: string) => Stretch | null | undefined): RulePlaces => ({
  in: 'page',
  of: (placed, parameter) => of(placed, parameter) ?? null,
});

const OF_HEAD: RulePlaces = { none: 'is read from the head of the answer' };
const OF_CONNECTION: RulePlaces = { none: 'is measured on the connection' };
const OF_WHOLE: RulePlaces = { none: 'is a count over the whole body' };

const robots = onPage(({ rule, value, answer, page }) => {
  const tag = robotsTag(answer, page, familyOf(rule.type)?.parameter ?? null, value.text);
  return tag === null ? null : page.factPlaces.metas.get(tag.name)?.[tag.index];
});
const alternates = onPage(({ rule, value, answer, page }) => {
  const link = alternatesIn(answer, page, familyOf(rule.type)?.parameter ?? null)[value.index]?.link;
  return link === undefined ? null : page.elementPlaces.links[page.elements.links.indexOf(link)];
});

type MetaType = Extract<PlainRuleType, `meta-${string}`>;
const meta = onPage(({ rule, value, page }) => page.factPlaces.metas.get(rule.type.slice('meta-'.length))?.[value.index]);
const isMeta = (type: PlainRuleType): type is MetaType => type.startsWith('meta-');

const ofPlain: Readonly<Record<Exclude<PlainRuleType, MetaType> | 'meta-robots', RulePlaces>> = {
  html: onPage(({ rule, value }) => withinValue(rule, value)),
  text: onPage(({ rule, value, page }) => page.factPlaces.ofText(withinValue(rule, value))),
  title: onPage(({ value, page }) => page.factPlaces.titles[value.index]),
  status: OF_HEAD,
  header: OF_HEAD,
  location: OF_HEAD,
  time: OF_CONNECTION,
  size: OF_WHOLE,
  redirects: OF_CONNECTION,
  'meta-robots': robots,
  'link-canonical': onPage(({ value, answer, page }) => {
    const link = canonicalLink(answer, page, value.text);
    return link === undefined ? null : page.elementPlaces.links[page.elements.links.indexOf(link)];
  }),
  lang: onPage(({ page }) => page.elementPlaces.lang),
  hreflang: alternates,
  sitemap: onPage(({ value, page }) => sitemapAddresses(page)[value.index]),
  'mixed-content': onPage(({ value, answer, page }) => page.elementPlaces.resources[resourceIndex(answer, page, value.text)]),
};

const ofFamily: Readonly<Record<RuleFamily, RulePlaces>> = {
  json: {
    in: 'json',
    of: ({ value, answer, page, json }, path) => {
      const location = jsonLocation(path, page, answer.body, value.index);
      return location === null ? null : jsonPlace(json(), location);
    },
  },
  'json-ld': onPage(({ value, page }, path) => {
    const found = linkedValues(page, path)[value.index];
    if (found === undefined) return null;
    const place = jsonPlace(page.elements.linkedData[found.block] ?? '', found.location);
    return place === null ? null : page.elementPlaces.linkedData[found.block]?.sourceOf(place);
  }),
  // Policies of headers and of meta tags restrict together; a header has no place on the page.
  csp: onPage(({ page }, directive) => page.elementPlaces.policies[governingMetaTag(page, directive)]),
  cookie: OF_HEAD,
  cert: OF_CONNECTION,
  time: OF_CONNECTION,
  redirects: OF_CONNECTION,
  'meta-robots': robots,
  hreflang: alternates,
  sitemap: OF_WHOLE,
  robots: onPage(({ value, page }, parameter) => robotsLines(page, parameter)[value.index]),
  'mixed-content': OF_WHOLE,
};

/** One row per type of rule; a type without a row does not compile. */
export function placesOf(type: RuleCondition['type']): RulePlaces {
  const named = familyOf(type);
  if (named !== null) return ofFamily[named.family];
  // A type with a colon is of a family.
  const plain = type as PlainRuleType;
  return plain === 'meta-robots' || !isMeta(plain) ? ofPlain[plain] : meta;
}

/** The part that matched; the whole value where nothing did, or where the operator compares all of it. */
function withinValue({ op, val }: ValueRule, { text, holds }: DecidingValue): Stretch {
  const whole = { from: 0, to: text.length };
  const comparison = comparisonOf(op);
  if (!holds) return whole;
  if (comparison === 'sub') {
    const from = text.indexOf(val);
    return from < 0 ? whole : { from, to: from + val.length };
  }
  if (comparison !== 'regex') return whole;
  const compiled = compilePattern(val);
  if (!compiled.ok) return whole;
  const matcher = compiled.pattern.matcher(text);
  return matcher.find() ? { from: matcher.start(), to: matcher.end() } : whole;
}
