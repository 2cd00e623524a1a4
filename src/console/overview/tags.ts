import type { Site } from './site-list.ts';

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
