import { describe, expect, it } from '@jest/globals';
import { decide } from '../../test/support/decide.ts';
import { draftsOnly, noColors, noWords, type StoredStatusPage } from './status-page.settings.ts';
import { changeStatusPage, createStatusPage, deleteStatusPage, statusPages } from './status-page.decider.ts';

const { given } = decide(statusPages);
const page = (changes: Partial<StoredStatusPage> = {}): StoredStatusPage => ({
  ...{
    slug: 'shop',
    title: 'Shop',
    access: 'public',
    languages: ['en'],
    words: noWords,
    colors: noColors,
    automatic: draftsOnly,
    password: null,
    by: 1,
  },
  groups: [{ name: '', items: [{ name: 'Checkout', kind: 'check', id: 'c', projectId: 'p' }] }],
  ...changes,
});
const created = (pageId: string, changes: Partial<StoredStatusPage> = {}) =>
  ({ type: 'StatusPageCreated', data: { pageId, ...page(changes) } }) as const;

describe('status pages', () => {
  it('have slugs of their own, also after a change', () => {
    given(created('a'))
      .when((state) => createStatusPage(state, { pageId: 'b', ...page() }, 20))
      .thenRefused('SLUG_TAKEN');
    given(created('a'), created('b', { slug: 'other' }))
      .when((state) => changeStatusPage(state, 'b', () => page()))
      .thenRefused('SLUG_TAKEN');
    given(created('a'), { type: 'StatusPageDeleted', data: { pageId: 'a', slug: 'shop' } })
      .when((state) => createStatusPage(state, { pageId: 'b', ...page() }, 20))
      .then(created('b'));
  });

  it('are as many as an account may create, also where others changed them since', () => {
    const other = { type: 'StatusPageChanged', data: { pageId: 'a', ...page({ by: 2 }) } } as const;
    given(created('a'), other)
      .when((state) => createStatusPage(state, { pageId: 'b', ...page({ slug: 'b' }) }, 1))
      .thenRefused('TOO_MANY_STATUS_PAGES');
    given(created('a'), other)
      .when((state) => createStatusPage(state, { pageId: 'b', ...page({ slug: 'b', by: 2 }) }, 1))
      .then(created('b', { slug: 'b', by: 2 }));
  });

  it('of other accounts never use up the first ones of an account, whose further ones share a limit', () => {
    const all = Array.from({ length: 60 }, (_, by) =>
      Array.from({ length: 20 }, (__, nth) => created(`${String(by)}-${String(nth)}`, { slug: `s-${String(by)}-${String(nth)}`, by })),
    ).flat();
    const next = (pageId: string) => created(pageId, { slug: pageId, by: 99 });
    given(...all, next('one'), next('two'))
      .when((state) => createStatusPage(state, { pageId: 'three', ...page({ slug: 'three', by: 99 }) }, 20))
      .then(next('three'));
    given(...all, next('one'), next('two'), next('three'))
      .when((state) => createStatusPage(state, { pageId: 'four', ...page({ slug: 'four', by: 99 }) }, 20))
      .thenRefused('TOO_MANY_STATUS_PAGES');
  });

  it('change only where something is different', () => {
    given(created('a'))
      .when((state) => changeStatusPage(state, 'a', (before) => ({ ...before })))
      .then();
    given(created('a'))
      .when((state) => changeStatusPage(state, 'a', (before) => ({ ...before, title: 'New' })))
      .then({ type: 'StatusPageChanged', data: { pageId: 'a', ...page({ title: 'New' }) } });
    given()
      .when((state) => deleteStatusPage(state, 'a'))
      .thenRefused('STATUS_PAGE_NOT_FOUND');
  });

  it('need a password where one is asked for, and show nothing twice', () => {
    given()
      .when((state) => createStatusPage(state, { pageId: 'a', ...page({ access: 'password' }) }, 20))
      .thenRefused('INVALID_INPUT');
    const twice = [...page().groups, ...page().groups];
    expect(() => createStatusPage(new Map(), { pageId: 'a', ...page({ groups: twice }) }, 20)).toThrow('stands on the page twice');
  });

  it('have at most fifty items in all their groups', () => {
    const groups = (sizes: readonly number[]) =>
      sizes.map((size, group) => ({
        name: '',
        items: Array.from({ length: size }, (_, n) => ({
          name: 'Check',
          kind: 'check' as const,
          id: `${String(group)} ${String(n)}`,
          projectId: 'p',
        })),
      }));
    const withGroups = (sizes: readonly number[]) => createStatusPage(new Map(), { pageId: 'a', ...page({ groups: groups(sizes) }) }, 20);
    expect(withGroups([25, 25])).toHaveLength(1);
    expect(() => withGroups([25, 26])).toThrow('groups: a page may have at most 50 items in all; found 51');
  });
});
