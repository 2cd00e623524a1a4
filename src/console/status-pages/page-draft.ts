import type { Schemas } from '../../client.ts';

export type StatusPage = Schemas['StatusPage'];
export type PageItem = StatusPage['groups'][number]['items'][number];

/** A status page as the form holds it. */
export interface PageDraft {
  readonly slug: string;
  readonly title: string;
  readonly access: StatusPage['access'];
  /** Empty when the one that it has stays. */
  readonly password: string;
  readonly languages: StatusPage['languages'];
  readonly groups: StatusPage['groups'];
  readonly about: string;
  readonly footer: string;
  readonly publishAfterMinutes: string;
}

export const emptyPage: PageDraft = {
  slug: '',
  title: '',
  access: 'public',
  password: '',
  languages: ['en'],
  groups: [{ name: '', items: [] }],
  about: '',
  footer: '',
  publishAfterMinutes: '',
};

export const pageDraftOf = ({ slug, title, access, languages, groups, words, automatic }: StatusPage): PageDraft => ({
  slug,
  title,
  access,
  password: '',
  languages,
  groups,
  about: words.about,
  footer: words.footer,
  publishAfterMinutes: automatic.publishAfterMinutes === null ? '' : String(automatic.publishAfterMinutes),
});

/** The body that saves a draft; what the form does not show is taken from the page as it is. */
export function pageBodyOf(draft: PageDraft, page: StatusPage | null): Schemas['StatusPageInput'] {
  const { slug, title, access, password, languages, about, footer, publishAfterMinutes } = draft;
  return {
    slug,
    title,
    access,
    languages: [...languages],
    words: { about, footer },
    ...(password !== '' && { password }),
    // A heading without items is none.
    groups: draft.groups.filter(({ items }) => items.length > 0).map(({ name, items }) => ({ name, items: [...items] })),
    ...(page !== null && { colors: page.colors }),
    automatic: {
      ...(page?.automatic ?? { draft: true, resolve: false }),
      publishAfterMinutes: publishAfterMinutes === '' ? null : Number(publishAfterMinutes),
    },
  };
}

/** An address from a title: lower-case letters, digits and hyphens. */
export const slugOf = (title: string): string =>
  title
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 63);

export const idOfItem = ({ project, group, check }: PageItem): string => project ?? group ?? check ?? '';

/** The items with one moved by so many places; the same where it would leave the list. */
export function movedItem<Item>(items: readonly Item[], index: number, by: number): readonly Item[] {
  const to = index + by;
  const item = items[index];
  if (item === undefined || to < 0 || to >= items.length) return items;
  return items.toSpliced(index, 1).toSpliced(to, 0, item);
}
