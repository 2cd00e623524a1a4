import { useMemo } from 'preact/hooks';
import { setQuery } from '../frame/address.ts';
import type { Site } from './site-list.ts';
import { hasTag, tagsOf } from './shown-sites.ts';

interface TagFieldProps {
  readonly sites: readonly Site[];
  /** The one that is chosen. */
  readonly tag: string | null;
}

/** Chooses the sites with one tag; absent while no site has any. */
export function TagField({ sites, tag }: TagFieldProps) {
  const tags = useMemo(() => tagsOf(sites), [sites]);
  if (tags.length === 0 && tag === null) return null;
  const chosen = tag === null ? undefined : tags.find((known) => hasTag({ tags: [known.tag] }, tag));
  return (
    <select
      name="tag"
      aria-label="Tag"
      value={chosen?.tag ?? tag ?? ''}
      onChange={({ currentTarget: { value } }) => setQuery('tag', value === '' ? null : value)}
    >
      <option value="">any tag</option>
      {tag !== null && chosen === undefined && <option value={tag}>{tag}</option>}
      {tags.map(({ tag: name, sites: count }) => (
        <option key={name} value={name}>
          {name} ({count})
        </option>
      ))}
    </select>
  );
}
