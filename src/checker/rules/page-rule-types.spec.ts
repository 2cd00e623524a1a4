import { describe, expect, it } from '@jest/globals';
import { expectRules, htmlAnswer, type RuleCase, ruleFailure } from '../../../test/support/rule-cases.ts';
import type { HeaderLine } from '../probe/outcome.ts';
import type { RuleType } from '../../projects/checks/rule.ts';

it('links, languages and robots directives are read from page and headers', () => {
  const page = `<html lang=de-AT><base href="/shop/"><link rel="nofollow CANONICAL" href="item">
    <link rel=alternate hreflang=en href="/en"><link rel=alternate hreflang=x-default href="/"><meta name=robots content="noindex, Max-Snippet : 50">
    <meta name=googlebot content=none>`;
  const headers: HeaderLine[] = [
    ['Link', '</fr>; rel="alternate"; hreflang="fr", <https://other.example/>; rel=preload'],
    ['X-Robots-Tag', 'noarchive'],
    ['X-Robots-Tag', 'bingbot: nosnippet'],
    ['X-Robots-Tag', 'unavailable_after: 25 Jun 2030 15:00:00 PST'],
  ];
  expectRules(htmlAnswer(page, headers), [
    ['link-canonical', 'match', 'https://example.com/shop/item', true],
    ['link-canonical', 'match', 'item', true],
    ['lang', 'eq', 'DE-at', true],
    ['hreflang', 'eq', 'x-default', true],
    ['hreflang', 'match', 'cs', false],
    ['hreflang:EN', 'match', 'https://example.com/en', true],
    ['hreflang:fr', 'match', 'https://example.com/fr', true],
    ['meta-robots', 'match', 'noindex', true],
    ['meta-robots', 'match', 'index', false],
    ['meta-robots', 'match', 'max-snippet:50', true],
    ['meta-robots', 'match', 'noarchive', true],
    ['meta-robots', '!match', 'nosnippet', true],
    ['meta-robots', '!match', 'nofollow', true],
    ['meta-robots', 'sub', 'unavailable_after:25 jun', true],
    ['meta-robots:Googlebot', 'match', 'nofollow', true],
    ['meta-robots:bingbot', 'match', 'nosnippet', true],
  ]);
  expectRules(htmlAnswer('<p>'), [
    ['link-canonical', 'sub', '', false],
    ['lang', 'sub', '', false],
  ]);
});

it('sitemap lists the addresses of a sitemap, an index or a text', () => {
  const xml = `<?xml version="1.0"?><urlset><url><loc> https://example.com/?a=1&amp;b=2 </loc></url><url><loc><![CDATA[https://example.com/c]]></loc></url></urlset>`;
  expectRules({ body: xml, type: 'application/xml' }, [
    ['sitemap', 'match', 'https://example.com/?a=1&b=2', true],
    ['sitemap', 'match', 'https://example.com/c', true],
    ['sitemap', '!regex', '^http:', true],
    ['sitemap:count', 'eq', '2', true],
  ]);
  expectRules({ body: 'https://example.com/\r\n# no\nhttps://example.com/b', type: 'text/plain' }, [['sitemap:count', 'gte', '2', true]]);
  expectRules({ body: '' }, [['sitemap', 'sub', '', false]]);
});

it('robots reads the group of a crawler as RFC 9309 says', () => {
  const body = `\ufeffUser-Agent: *\nDisallow: /private # secret\nSitemap: https://example.com/sitemap.xml
User-agent: BadBot\nuser-agent: worse\r\nDisallow: /\nCrawl-delay: 10\n\nUser-agent: badbot\nAllow: /open`;
  expectRules({ body, type: 'text/plain' }, [
    ['robots:disallow', 'match', '/private', true],
    ['robots:disallow', '!match', '/', true],
    ['robots:disallow:badbot', 'match', '/', true],
    ['robots:allow:BADBOT', 'match', '/open', true],
    ['robots:disallow:other', 'match', '/private', true],
    ['robots:crawl-delay:worse', 'lte', '10', true],
    ['robots:sitemap', 'sub', 'sitemap.xml', true],
    ['robots:allow', 'sub', '', false],
  ]);
});

it('mixed-content names the insecure addresses of a page with TLS', () => {
  const body = `<img srcset="http://a.example/1.png 1x,https://a.example/2.png 2x, //b.example/3.png"><script src="http://c.example/s.js"></script>
    <a href="http://link.example/">link</a><link rel=stylesheet href="http://d.example/s.css"><link rel=canonical href="http://e.example/">
    <img src="http://127.0.0.1:8080/x"><noscript><img src="http://n.example/"></noscript>`;
  expectRules(htmlAnswer(body), [
    ['mixed-content', 'match', 'http://a.example/1.png', true],
    ['mixed-content', 'match', 'http://d.example/s.css', true],
    ['mixed-content:count', 'eq', '3', true],
    ['mixed-content', '!sub', '', false],
  ]);
  const none: RuleCase[] = [
    ['mixed-content', '!sub', '', true],
    ['mixed-content:count', 'eq', '0', true],
  ];
  expectRules(htmlAnswer(body, [], { url: 'http://example.com/' }), none);
  expectRules(htmlAnswer(body, [['Content-Security-Policy', 'upgrade-insecure-requests']]), none);
});

describe('hostile answers', () => {
  const types: RuleType[] = [
    'json-ld:a.b',
    'csp:script-src',
    'cookie:a',
    'link-canonical',
    'meta-robots',
    'lang',
    'hreflang',
    'hreflang:en',
  ];
  const more: RuleType[] = ['sitemap', 'sitemap:count', 'robots:disallow', 'mixed-content', 'mixed-content:count', 'json:$.a'];
  const repeated = (part: string): string => part.repeat(Math.ceil(100_000 / part.length));

  it.each([
    repeated('<link rel=canonical href=http://a/><link rel=alternate hreflang=en href=x>'),
    `<script type="application/ld+json">${'['.repeat(100_000)}${']'.repeat(100_000)}</script>`,
    `<script type="application/ld+json">{"a":${'{"b":'.repeat(20_000)}1${'}'.repeat(20_000)}}</script>`,
    `<img srcset="${repeated(', ,1x')}"><img srcset="${repeated('http://a/ ')}">`,
    repeated('<loc>'),
    repeated('user-agent: a\n'),
    repeated('\u0000<'),
    repeated('<meta http-equiv=content-security-policy content="script-src *.a.b c.d">'),
  ])('are judged, and fail with a sentence of a bounded length', (body) => {
    const headers: HeaderLine[] = [
      ['Link', repeated('<;=,').slice(0, 60_000)],
      ['Set-Cookie', repeated('a=;')],
      ['X-Robots-Tag', repeated('a:,')],
      ['Content-Security-Policy', repeated('script-src ;,').slice(0, 60_000)],
    ];
    for (const type of [...types, ...more]) {
      const said = ruleFailure(type, 'match', 'nothing', htmlAnswer(body, headers));
      expect([type, said?.length !== undefined && said.length <= 200]).toEqual([type, true]);
    }
  });
});
