import { describe, expect, it } from '@jest/globals';
import { type RuleFamily, ruleFamilies, ruleTypes } from '../../projects/checks/rule.ts';
import { ruleTypeProblem } from '../../projects/checks/rule-type.ts';
import type { RuleCondition } from '../rules/rule.ts';
import type { HeaderLine } from '../probe/outcome.ts';
import { locateRules } from './locate-rules.ts';
import { placesOf } from './rule-places.ts';

type Type = RuleCondition['type'];

/** An answer, rules on it, and the bytes of each. */
interface Sample {
  readonly body: string;
  readonly contentType?: string;
  readonly headers?: readonly HeaderLine[];
  readonly rules: readonly (readonly [type: Type, op: RuleCondition['op'], val: string, source: string | null])[];
}

function located({ body, contentType = 'text/html; charset=utf-8', headers = [], rules }: Sample): readonly (string | null)[] {
  const bytes = Buffer.from(body);
  const answer = {
    url: 'https://site.test/a/',
    httpVersion: '1.1',
    status: 200,
    statusText: '',
    redirectedBy: null,
    cut: false,
    body: bytes,
  };
  const ranges = locateRules({
    ...{ type: 'simple', defaultErrors: false, rules: rules.map(([type, op, val]) => ({ type, op, val })) },
    answer: { ...answer, headers: [['Content-Type', contentType], ...headers] },
  });
  for (const range of ranges) {
    const before = range === null ? '' : bytes.subarray(0, range.from).toString();
    expect(range?.line ?? 1).toBe(before.split('\n').length);
  }
  return ranges.map((range) => range && bytes.subarray(range.from, range.to).toString());
}

const CANONICAL = '<link rel="Canonical" href="/ä">';
const GERMAN = '<link rel=alternate hreflang=de href=/de>';
const POLICY = `<meta http-equiv="Content-Security-Policy" content="img-src 'self'; script-src https:">`;
const IMAGES = '<img src="http://one.test/a.png" srcset="http://two.test/b.png 2x">';
const PAGE = `<!doctype html>\n<html lang="de-AT"><head><title>ß</title>
${CANONICAL}${GERMAN}<link rel="alternate" hreflang="fr" href="fr">
<meta name=robots content="noindex, max-snippet: 5">\n<meta name="googlebot" content="none">
${POLICY}
<script type="application/ld+json">\n{"@graph": [{"@type": "Other"}, {"@type": "Product", "offers": [{"price": 1}, {"price": "19.90 €"}]}]}</script>
</head><body>ü ${IMAGES}<template><img src="http://three.test/c.png"></template><meta name=description content=x></body></html>`;

const SAMPLES: Readonly<Record<string, Sample>> = {
  page: {
    body: PAGE,
    rules: [
      ['html', 'sub', 'lang="de', 'lang="de'],
      ['text', 'sub', 'ü', 'ü'],
      ['title', 'eq', 'ß', 'ß'],
      ['meta-description', 'eq', 'y', '<meta name=description content=x>'],
      ['link-canonical', 'eq', '/ä', CANONICAL],
      ['link-canonical', 'eq', 'https://site.test/%C3%A4', CANONICAL],
      ['link-canonical', 'eq', 'https://other.test/', CANONICAL],
      ['hreflang', 'eq', 'fr', '<link rel="alternate" hreflang="fr" href="fr">'],
      ['hreflang', '!sub', 'it', GERMAN],
      ['hreflang:fr', 'eq', 'https://site.test/a/fr', '<link rel="alternate" hreflang="fr" href="fr">'],
      ['hreflang:it', 'eq', 'x', null],
      ['meta-robots', '!sub', 'noindex', '<meta name=robots content="noindex, max-snippet: 5">'],
      ['meta-robots', 'eq', 'max-snippet:5', '<meta name=robots content="noindex, max-snippet: 5">'],
      ['meta-robots:GoogleBot', 'eq', 'nofollow', '<meta name="googlebot" content="none">'],
      ['lang', 'eq', 'de', '<html lang="de-AT">'],
      ['csp:img-src', 'eq', 'x', POLICY],
      ['csp:font-src', 'eq', 'x', null],
      ['mixed-content', 'sub', 'two.test', IMAGES],
      ['mixed-content:count', 'eq', '2', null],
      ['json-ld:Product.offers.price', 'eq', '19.90 €', '"19.90 €"'],
      ['json-ld:Product.offers.price', 'lt', '0', '1'],
      ['json-ld:Product', '!sub', 'x', '{"@type": "Product", "offers": [{"price": 1}, {"price": "19.90 €"}]}'],
      ['html', 'xpath', '//html/@lang', 'lang="de-AT"'],
    ],
  },
  'headers that say it first': {
    body: PAGE,
    headers: [
      ['Link', '</ä>; rel=canonical, </de2>; rel=alternate; hreflang=de'],
      ['X-Robots-Tag', 'noindex'],
      ['Content-Security-Policy', "font-src 'none'"],
    ],
    rules: [
      ['link-canonical', 'eq', '/ä', null],
      ['hreflang', 'eq', 'de', null],
      ['hreflang', 'eq', 'fr', '<link rel="alternate" hreflang="fr" href="fr">'],
      ['meta-robots', 'eq', 'noindex', null],
      ['meta-robots', 'eq', 'max-snippet:5', '<meta name=robots content="noindex, max-snippet: 5">'],
      ['csp:font-src', 'eq', "'none'", null],
      ['header', 'sub', 'noindex', null],
      ['location', 'eq', 'x', null],
      ['cookie:sid', 'eq', 'x', null],
    ],
  },
  'robots.txt': {
    body: '# ü\r\nUser-agent: *\r\nDisallow: /all # none\r\nUser-agent: Bot\rCrawl-delay: 5\r\nDisallow: /bot\nSitemap: https://site.test/s.xml',
    contentType: 'text/plain',
    rules: [
      ['robots:disallow', 'eq', '/all', 'Disallow: /all'],
      ['robots:disallow:bot', 'eq', '/x', 'Disallow: /bot'],
      ['robots:crawl-delay:bot', 'lt', '9', 'Crawl-delay: 5'],
      ['robots:sitemap', 'sub', 's.xml', 'Sitemap: https://site.test/s.xml'],
      ['robots:allow', 'eq', 'x', null],
    ],
  },
  sitemap: {
    body: '<?xml version="1.0"?>\n<urlset><url><loc>https://site.test/ä</loc></url>\n<url><loc> https://site.test/b </loc></url></urlset>',
    contentType: 'application/xml',
    rules: [
      ['sitemap', 'sub', '/b', ' https://site.test/b '],
      ['sitemap', 'sub', '/c', 'https://site.test/ä'],
      ['sitemap:count', 'eq', '2', null],
    ],
  },
  'sitemap as text': {
    body: 'https://site.test/ä\r\n\r\nHTTPS://site.test/b',
    contentType: 'text/plain',
    rules: [['sitemap', 'sub', '/b', 'HTTPS://site.test/b']],
  },
  JSON: {
    body: '{"ä": [1,\n"two"]}',
    contentType: 'application/json',
    rules: [
      ['json:$.ä[1]', 'eq', 'two', '"two"'],
      ['size', 'gt', '1', null],
      ['status', 'eq', '200', null],
    ],
  },
};

describe('the place of a rule on the page', () => {
  it.each(Object.entries(SAMPLES))('is that of its value: %s', (_, sample) => {
    expect(located(sample)).toEqual(sample.rules.map(([, , , source]) => source));
  });

  /** One type of each family. */
  const EXAMPLES: Readonly<Record<RuleFamily, Type>> = {
    ...{ json: 'json:$.a', 'json-ld': 'json-ld:name', csp: 'csp:img-src', cookie: 'cookie:sid', cert: 'cert:days', time: 'time:dns' },
    ...{ redirects: 'redirects:target', 'meta-robots': 'meta-robots:bot', hreflang: 'hreflang:de', sitemap: 'sitemap:count' },
    ...{ robots: 'robots:disallow', 'mixed-content': 'mixed-content:count' },
  };
  const types: readonly Type[] = [...ruleTypes, ...ruleFamilies.map((family) => EXAMPLES[family])];
  const sampled = Object.values(SAMPLES).flatMap(({ rules }) => rules.flatMap(([type, , , source]) => (source === null ? [] : [type])));
  const kindOf = (type: string): string =>
    type.startsWith('meta-') && !type.startsWith('meta-robots') ? 'meta' : type.replace(/:.*/, ':');

  it.each(types)('is found for %s, or the type says why it has none', (type) => {
    expect(ruleTypeProblem(type)).toBeNull();
    const places = placesOf(type);
    if ('none' in places) expect(places.none).toMatch(/^is \w/);
    else expect(sampled.map(kindOf)).toContain(kindOf(type));
  });
});
