import { describe, expect, it } from '@jest/globals';
import { type KnownProblems, shownSites, type SiteFilter, siteSortOf, tagsOf } from './shown-sites.ts';
import type { Site } from './site-list.ts';

const site = (title: string, status: Site['status'], changes: Partial<Site> = {}): Site => ({
  ...{ id: title, title, status, url: `https://${title}.example/`, tags: [] },
  ...changes,
});
const SITES = [
  site('shop 10', 'ok', { sslDaysLeft: 60, tags: ['Shop', 'team 10'] }),
  site('shop 9', 'error', { sslDaysLeft: 3, tags: ['shop', 'team 9'] }),
  site('blog', null),
  site('api', 'ok', { tags: ['team 9'] }),
];
const KNOWN: KnownProblems = { severities: new Map([['api', 'warning']]), areAll: false };
const titles = (sort: string, filter: Partial<SiteFilter> = {}, known = KNOWN): readonly string[] =>
  shownSites(SITES, siteSortOf(sort), { shown: 'all', tag: null, ...filter }, known).map(({ title }) => title);

describe('the list of sites', () => {
  it('is sorted by title as people count, by state the worst first, and by certificate the soonest first', () => {
    expect(titles('')).toEqual(['api', 'blog', 'shop 9', 'shop 10']);
    expect(titles('state')).toEqual(['shop 9', 'api', 'blog', 'shop 10']);
    expect(titles('certificate')).toEqual(['shop 9', 'shop 10', 'api', 'blog']);
    expect(titles('-title')).toEqual(['shop 10', 'shop 9', 'blog', 'api']);
    expect(titles('nonsense')).toEqual(titles('title'));
  });

  it('shows those that need attention, or that were not checked yet, alone', () => {
    expect(titles('title', { shown: 'attention' })).toEqual(['api', 'shop 9']);
    expect(titles('title', { shown: 'unknown' })).toEqual(['blog']);
  });

  it('believes the problems and not an older status where they are all', () => {
    expect(titles('title', { shown: 'attention' }, { ...KNOWN, areAll: true })).toEqual(['api']);
  });

  it('shows those with a tag, however it is capitalised', () => {
    expect(titles('title', { tag: 'SHOP' })).toEqual(['shop 9', 'shop 10']);
    expect(titles('title', { tag: 'team 9', shown: 'attention' })).toEqual(['api', 'shop 9']);
    expect(titles('title', { tag: 'sho' })).toEqual([]);
  });

  it('offers each tag once, with the number of its sites', () => {
    expect(tagsOf(SITES)).toEqual([
      { tag: 'Shop', sites: 2 },
      { tag: 'team 9', sites: 2 },
      { tag: 'team 10', sites: 1 },
    ]);
  });
});
