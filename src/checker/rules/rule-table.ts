import type { Page } from '../page/page.ts';
import type { HeaderLine } from '../probe/outcome.ts';
import { lineText, ofHeader, ofStatus, ofText, type Comparers } from './comparers.ts';
import type { RuleType } from '../../domain/check/rule.ts';
import { headerValue, statusLine, type StoredAnswer } from './stored-answer.ts';
import { isUrl } from '../../kernel/url.ts';

/** The values of an answer that a rule type compares. */
interface RuleValues<Value> {
  readonly values: readonly Value[];
  /** The page was cut inside the value. */
  readonly unfinished?: boolean;
  /** The page was cut; more values could follow. */
  readonly moreToCome?: boolean;
}

interface Row<Value> {
  /** The name used in sentences. */
  readonly label: string;
  readonly absent: string;
  readonly valuesOf: (answer: StoredAnswer, page: Page) => RuleValues<Value>;
  readonly comparers: Comparers<Value>;
  readonly shown: (value: Value) => string;
}

/** A row with its type of value hidden (an existential type), so that all rows have one type. */
export interface RuleRow {
  readonly label: string;
  readonly absent: string;
  readonly apply: <Result>(use: <Value>(row: Row<Value>) => Result) => Result;
}

const row = <Value>(given: Row<Value>): RuleRow => ({ label: given.label, absent: given.absent, apply: (use) => use(given) });

const textRow = (label: string, absent: string, valuesOf: Row<string>['valuesOf'], comparers = ofText): RuleRow =>
  row({ label, absent, valuesOf, comparers, shown: (value: string) => value });

const meta = (name: string): RuleRow =>
  textRow(`the meta tag ${name}`, 'no such tag', (_, page) => ({ values: page.facts.metas.get(name) ?? [], moreToCome: page.cut }));

function location(answer: StoredAnswer): readonly string[] {
  if (answer.redirectedBy !== null) return [...new Set([answer.redirectedBy.location, answer.redirectedBy.to])];
  const own = headerValue(answer, 'location');
  if (own === undefined) return [];
  return isUrl(own, answer.url) ? [...new Set([own, new URL(own, answer.url).href])] : [own];
}

export const ruleTable = {
  text: textRow('the text', 'no text', (_, page) => ({ values: [page.facts.text], unfinished: page.cut })),
  html: textRow('the HTML', 'no HTML', (_, page) => ({ values: [page.html], unfinished: page.cut })),
  status: textRow('status', 'no status', (answer) => ({ values: [String(answer.status)] }), ofStatus),
  header: row<HeaderLine>({
    label: 'the headers',
    absent: 'no such header',
    valuesOf: (answer) => ({ values: [['', statusLine(answer)], ...answer.headers] }),
    comparers: ofHeader,
    shown: lineText,
  }),
  location: textRow('the redirect', 'no redirect', (answer) => ({ values: location(answer) })),
  title: textRow('the title', 'no title', (_, page) => ({ values: page.facts.titles, moreToCome: page.cut })),
  'meta-description': meta('description'),
  'meta-og:title': meta('og:title'),
  'meta-og:description': meta('og:description'),
  'meta-og:image': meta('og:image'),
  'meta-og:type': meta('og:type'),
  'meta-og:url': meta('og:url'),
  'meta-og:site_name': meta('og:site_name'),
  'meta-og:locale': meta('og:locale'),
  'meta-og:updated_time': meta('og:updated_time'),
  'meta-og:logo': meta('og:logo'),
  'meta-article:modified_time': meta('article:modified_time'),
  'meta-article:published_time': meta('article:published_time'),
  'meta-article:publisher': meta('article:publisher'),
  'meta-article:section': meta('article:section'),
  'meta-article:tag': meta('article:tag'),
  'meta-twitter:title': meta('twitter:title'),
  'meta-twitter:image': meta('twitter:image'),
  'meta-twitter:description': meta('twitter:description'),
  'meta-twitter:card': meta('twitter:card'),
  'meta-twitter:site': meta('twitter:site'),
  'meta-twitter:creator': meta('twitter:creator'),
  'meta-itemprop:name': meta('itemprop:name'),
  'meta-itemprop:author': meta('itemprop:author'),
  'meta-itemprop:description': meta('itemprop:description'),
  'meta-itemprop:image': meta('itemprop:image'),
} satisfies Record<RuleType, RuleRow>;
