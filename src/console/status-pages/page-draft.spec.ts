import { expect, it } from '@jest/globals';
import { pageBodyOf, pageDraftOf, emptyPage, idOfItem, movedItem, slugOf, type StatusPage } from './page-draft.ts';

const page: StatusPage = {
  ...({
    id: 'a',
    slug: 'shop',
    url: 'https://watch.example/status/shop',
    title: 'Shop',
    access: 'password',
    hasPassword: true,
    hosts: [],
  } as const),
  languages: ['en', 'cs'],
  groups: [
    { name: 'Buying', items: [{ name: 'Shop', project: 'p' }] },
    { name: 'Empty', items: [] },
  ],
  ...{ words: { about: 'About', footer: 'Footer' }, colors: { light: '#1f4e5f', dark: null } },
  ...{ automatic: { draft: true, publishAfterMinutes: 10, resolve: true }, createdAt: '', changedAt: '' },
};

it('saves a page that was only looked at as it is, without its empty headings', () => {
  expect(pageBodyOf(pageDraftOf(page), page)).toEqual({
    ...{ slug: 'shop', title: 'Shop', access: 'password', languages: ['en', 'cs'], words: { about: 'About', footer: 'Footer' } },
    groups: [{ name: 'Buying', items: [{ name: 'Shop', project: 'p' }] }],
    ...{ colors: { light: '#1f4e5f', dark: null }, automatic: { draft: true, publishAfterMinutes: 10, resolve: true } },
  });
});

it('sends a password only where one was typed', () => {
  expect(pageBodyOf({ ...pageDraftOf(page), password: 'open sesame' }, page).password).toBe('open sesame');
  expect('password' in pageBodyOf(pageDraftOf(page), page)).toBe(false);
});

it('begins with drafts that people publish', () => {
  expect(pageBodyOf({ ...emptyPage, title: 'New' }, null).automatic).toEqual({ draft: true, resolve: false, publishAfterMinutes: null });
});

it.each([
  ['Example Shop', 'example-shop'],
  ['  Žluťoučký kůň! ', 'zlutoucky-kun'],
  ['---', ''],
  ['x'.repeat(80), 'x'.repeat(63)],
])('makes of the title %j the address %j', (title, slug) => {
  expect(slugOf(title)).toBe(slug);
});

it('moves an item within its list, and never out of it', () => {
  expect(movedItem(['a', 'b', 'c'], 2, -1)).toEqual(['a', 'c', 'b']);
  expect(movedItem(['a', 'b'], 0, -1)).toEqual(['a', 'b']);
  expect(movedItem(['a', 'b'], 1, 1)).toEqual(['a', 'b']);
  expect(idOfItem({ name: 'x', check: 'c' })).toBe('c');
});
