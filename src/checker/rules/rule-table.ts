import type { HeaderLine } from '../probe/outcome.ts';
import type { PlainRuleType, RuleFamily, RuleType } from '../../projects/checks/rule.ts';
import { familyOf } from '../../projects/checks/rule-type.ts';
import { ofHeader, ofStatus, shownLine } from './comparers.ts';
import { row, type RuleRow, textRow } from './rule-row.ts';
import { headerValue, statusLine, type StoredAnswer } from './stored-answer.ts';
import { canonicalRow } from './types/canonical.rule.ts';
import { certificateRow } from './types/certificate.rule.ts';
import { cookieRow } from './types/cookie.rule.ts';
import { cspRow } from './types/csp.rule.ts';
import { hreflangRow, languagesRow } from './types/hreflang.rule.ts';
import { jsonRow } from './types/json.rule.ts';
import { jsonLdRow } from './types/json-ld.rule.ts';
import { langRow } from './types/lang.rule.ts';
import { metaRobotsRow } from './types/meta-robots.rule.ts';
import { mixedContentCountRow, mixedContentRow } from './types/mixed-content.rule.ts';
import { redirectCountRow, redirectTargetRow } from './types/redirects.rule.ts';
import { robotsRow } from './types/robots.rule.ts';
import { sitemapCountRow, sitemapRow } from './types/sitemap.rule.ts';
import { sizeRow } from './types/size.rule.ts';
import { timeRow } from './types/time.rule.ts';
import { isUrl } from '../../kernel/url.ts';

const meta = (name: string): RuleRow =>
  textRow(`the meta tag ${name}`, 'no such tag', (_, page) => ({ values: page.facts.metas.get(name) ?? [], moreToCome: page.cut }));

function location(answer: StoredAnswer): readonly string[] {
  if (answer.redirectedBy !== null) return [...new Set([answer.redirectedBy.location, answer.redirectedBy.to])];
  const own = headerValue(answer, 'location');
  if (own === undefined) return [];
  return isUrl(own, answer.url) ? [...new Set([own, new URL(own, answer.url).href])] : [own];
}

const ruleTable: Readonly<Record<PlainRuleType, RuleRow>> = {
  text: textRow('the text', 'no text', (_, page) => ({ values: [page.facts.text], unfinished: page.cut })),
  html: textRow('the HTML', 'no HTML', (_, page) => ({ values: [page.html], unfinished: page.cut })),
  status: textRow('status', 'no status', (answer) => ({ values: [String(answer.status)] }), { comparers: ofStatus }),
  header: row<HeaderLine>(
    {
      label: 'the headers',
      absent: 'no such header',
      valuesOf: (answer) => ({ values: [['', statusLine(answer)], ...answer.headers] }),
      comparers: ofHeader,
      shown: shownLine,
    },
    { reads: 'head' },
  ),
  location: textRow('the redirect', 'no redirect', (answer) => ({ values: location(answer) }), { reads: 'head' }),
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
  time: timeRow(null),
  size: sizeRow,
  redirects: redirectCountRow,
  'link-canonical': canonicalRow,
  'meta-robots': metaRobotsRow(null),
  lang: langRow,
  hreflang: languagesRow,
  sitemap: sitemapRow,
  'mixed-content': mixedContentRow,
};

/** Rows of the types that name what they judge. */
const familyTable: Readonly<Record<RuleFamily, (parameter: string) => RuleRow>> = {
  json: jsonRow,
  'json-ld': jsonLdRow,
  csp: cspRow,
  cookie: cookieRow,
  cert: certificateRow,
  time: timeRow,
  redirects: () => redirectTargetRow,
  'meta-robots': metaRobotsRow,
  hreflang: hreflangRow,
  sitemap: () => sitemapCountRow,
  robots: robotsRow,
  'mixed-content': () => mixedContentCountRow,
};

const isPlain = (type: string): type is PlainRuleType => Object.hasOwn(ruleTable, type);

/** The row of a type that was validated when it was saved. */
export function rowOf(type: RuleType): RuleRow {
  if (isPlain(type)) return ruleTable[type];
  const named = familyOf(type);
  if (named === null) throw new Error(`no such type of rule: ${type}`);
  return familyTable[named.family](named.parameter);
}
