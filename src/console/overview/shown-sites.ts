import type { Site } from './site-list.ts';
import type { GlyphState } from '../parts/glyph-state.ts';

/** An address as a line shows it: host and path, without the scheme. */
export function shortAddress(url: string): string {
  try {
    const { host, pathname } = new URL(url);
    return pathname === '/' ? host : host + pathname;
  } catch {
    return url;
  }
}

interface CountedTag {
  readonly tag: string;
  readonly sites: number;
}

/** Tags that differ in case alone are the same, as for the API. */
const keyOf = (tag: string): string => tag.toLowerCase();

export function hasTag({ tags }: Pick<Site, 'tags'>, tag: string): boolean {
  const key = keyOf(tag);
  return tags.some((each) => keyOf(each) === key);
}

/** Every tag of the sites by its name, in the spelling that came first. */
export function tagsOf(sites: readonly Site[]): readonly CountedTag[] {
  const byKey = new Map<string, CountedTag>();
  for (const tag of sites.flatMap(({ tags }) => tags)) {
    const known = byKey.get(keyOf(tag));
    byKey.set(keyOf(tag), { tag: known?.tag ?? tag, sites: (known?.sites ?? 0) + 1 });
  }
  return [...byKey.values()].toSorted((one, other) => one.tag.localeCompare(other.tag, undefined, { numeric: true }));
}

/** By what the list is sorted; the same column again turns it round. */
export const SORTS = ['title', 'state', 'address', 'certificate'] as const;
type SortColumn = (typeof SORTS)[number];

export interface SiteSort {
  readonly by: SortColumn;
  readonly isReversed: boolean;
}

/** As it stands in the address of the page: `-title`. */
export function siteSortOf(text: string | null): SiteSort {
  const by = SORTS.find((column) => column === text?.replace(/^-/, '')) ?? 'title';
  return { by, isReversed: text?.startsWith('-') === true };
}

export const SHOWN = { all: 'all sites', attention: 'needing attention', unknown: 'not checked yet' } as const;
export type ShownSites = keyof typeof SHOWN;

export interface SiteFilter {
  readonly shown: ShownSites;
  /** Null for any. */
  readonly tag: string | null;
}

/** What is known of the problems of all sites. */
export interface KnownProblems {
  readonly severities: ReadonlyMap<string, 'failing' | 'warning'>;
  /** They are all: a site without one has none. Otherwise the status in the list counts as well. */
  readonly areAll: boolean;
}

const BY_STATUS: Readonly<Record<string, GlyphState>> = { ok: 'working', error: 'failing', timeout: 'failing' };
const WORST_FIRST: readonly GlyphState[] = ['failing', 'warning', 'maintenance', 'unknown', 'working'];

/** The state of a site whose figures have not been read. */
export function listedState({ id, status }: Pick<Site, 'id' | 'status'>, { severities, areAll }: KnownProblems): GlyphState {
  const severity = severities.get(id);
  if (severity !== undefined) return severity;
  const listed = BY_STATUS[status ?? ''] ?? 'unknown';
  return areAll && listed === 'failing' ? 'working' : listed;
}

/** The sites that a person wants to see, in their order; equal ones stay by title. */
export function shownSites(
  sites: readonly Site[],
  { by, isReversed }: SiteSort,
  { shown, tag }: SiteFilter,
  known: KnownProblems,
): readonly Site[] {
  const states = new Map(sites.map((site) => [site.id, listedState(site, known)]));
  const isShown = (site: Site): boolean => {
    if (tag !== null && !hasTag(site, tag)) return false;
    const state = states.get(site.id);
    return shown === 'all' || (shown === 'unknown' ? state === 'unknown' : state === 'failing' || state === 'warning');
  };
  const rank = ({ id }: Site): number => WORST_FIRST.indexOf(states.get(id) ?? 'unknown');
  const compare: Readonly<Record<SortColumn, (one: Site, other: Site) => number>> = {
    title: () => 0,
    state: (one, other) => rank(one) - rank(other),
    address: (one, other) => shortAddress(one.url).localeCompare(shortAddress(other.url)),
    certificate: (one, other) => (one.sslDaysLeft ?? Infinity) - (other.sslDaysLeft ?? Infinity) || 0,
  };
  const found = sites.filter(isShown).toSorted((one, other) => compare[by](one, other) || collator.compare(one.title, other.title));
  return isReversed ? found.toReversed() : found;
}

const collator = new Intl.Collator(undefined, { sensitivity: 'base', numeric: true });
