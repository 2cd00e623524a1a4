import { describe, expect, it } from '@jest/globals';
import { siteSortOf, shownSites, type KnownProblems } from './shown-sites.ts';
import type { Site } from './site-list.ts';

const site = (title: string, status: Site['status'], sslDaysLeft?: number): Site => ({
  ...{ id: title, title, status, url: `https://${title}.example/` },
  ...(sslDaysLeft !== undefined && { sslDaysLeft }),
});
const SITES = [site('shop 10', 'ok', 60), site('shop 9', 'error', 3), site('blog', null), site('api', 'ok')];
const KNOWN: KnownProblems = { severities: new Map([['api', 'warning']]), areAll: false };
const titles = (sort: string, shown: Parameters<typeof shownSites>[2] = 'all', known = KNOWN): readonly string[] =>
  shownSites(SITES, siteSortOf(sort), shown, known).map(({ title }) => title);

describe('the list of sites', () => {
  it('is sorted by title as people count, by state the worst first, and by certificate the soonest first', () => {
    expect(titles('')).toEqual(['api', 'blog', 'shop 9', 'shop 10']);
    expect(titles('state')).toEqual(['shop 9', 'api', 'blog', 'shop 10']);
    expect(titles('certificate')).toEqual(['shop 9', 'shop 10', 'api', 'blog']);
    expect(titles('-title')).toEqual(['shop 10', 'shop 9', 'blog', 'api']);
    expect(titles('nonsense')).toEqual(titles('title'));
  });

  it('shows those that need attention, or that were not checked yet, alone', () => {
    expect(titles('title', 'attention')).toEqual(['api', 'shop 9']);
    expect(titles('title', 'unknown')).toEqual(['blog']);
  });

  it('believes the problems and not an older status where they are all', () => {
    expect(titles('title', 'attention', { ...KNOWN, areAll: true })).toEqual(['api']);
  });
});
