import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { address, goTo, hrefOf, setQuery, shownInstant } from '../frame/address.ts';
import { useKeys } from '../frame/keys.ts';
import { useNarrow } from '../frame/width.ts';
import { useFigures } from './figures.ts';
import { Line } from './line.tsx';
import { type KnownProblems, listedState, siteSortOf, SHOWN, shownSites, type ShownSites, type SiteSort, SORTS } from './shown-sites.ts';
import { noSiteSentence, unmeasuredIn } from './sentences.ts';
import type { Site } from './site-list.ts';
import { TagField } from './tag-field.tsx';
import { VirtualRows } from './virtual-rows.tsx';

const ROW = 36;
const ROW_NARROW = 64;

interface SitesProps {
  readonly sites: readonly Site[];
  /** Null while they are being read, or some of them are searched for. */
  readonly total: number | null;
  readonly search: string;
  readonly known: KnownProblems;
  readonly now: number;
  /** Which of those on the screen are not being measured. */
  readonly onUnmeasured: (found: ReturnType<typeof unmeasuredIn>) => void;
}

/** A line for each site; only those on the screen exist. */
export function Sites({ sites: all, total, search, known, now, onUnmeasured }: SitesProps) {
  const isNarrow = useNarrow();
  const { query } = address.value;
  const sort = siteSortOf(query.get('sort'));
  const shown = (Object.keys(SHOWN) as ShownSites[]).find((name) => name === query.get('show')) ?? 'all';
  const tag = query.get('tag');
  const sites = useMemo(() => shownSites(all, sort, { shown, tag }, known), [all, sort.by, sort.isReversed, shown, tag, known]);
  const [range, setRange] = useState<readonly [number, number]>([0, 30]);
  const visible = sites.slice(...range);
  const figures = useFigures(
    visible.map(({ id }) => id),
    String(shownInstant.value),
  );
  const unmeasured = unmeasuredIn(figures, visible, known.severities);
  useEffect(() => onUnmeasured(unmeasured), [unmeasured.silent, unmeasured.never]);
  const focused = useFocusedLine(sites);
  const unmatched = search === '' ? null : `No site matches “${search}”.`;
  const none = sites.length > 0 ? null : all.length > 0 || total !== null ? noSiteSentence({ shown, tag }) : unmatched;
  return (
    <section aria-label="All sites">
      <div class="list-head">
        <h2>
          All sites{' '}
          {total !== null && (
            <span class="soft">{sites.length === total ? counted(total) : `${counted(sites.length)} of ${counted(total)}`}</span>
          )}
        </h2>
        <div class="list-controls">
          {/* First: it comes with the list, and must not move the others. */}
          <TagField sites={all} tag={tag} />
          <select
            name="show"
            aria-label="Which sites"
            value={shown}
            onChange={({ currentTarget: { value } }) => setQuery('show', value === 'all' ? null : value)}
          >
            {Object.entries(SHOWN).map(([name, words]) => (
              <option key={name} value={name}>
                {words}
              </option>
            ))}
          </select>
          {isNarrow && <SortField sort={sort} />}
          <SearchField search={search} />
        </div>
      </div>
      {none !== null && <p class="soft">{none}</p>}
      <div role="table" hidden={none !== null} class="sites" aria-label="Sites" aria-rowcount={sites.length + 1}>
        <Head sort={sort} isNarrow={isNarrow} />
        <VirtualRows count={sites.length} rowHeight={isNarrow ? ROW_NARROW : ROW}>
          {(first, end) => {
            if (first !== range[0] || end !== range[1]) queueMicrotask(() => setRange([first, end]));
            return sites
              .slice(first, end)
              .map((site, index) => (
                <Line
                  key={site.id}
                  site={site}
                  listed={listedState(site, known)}
                  figures={figures.get(site.id)}
                  now={now}
                  shownDays={isNarrow ? 30 : 90}
                  isFocused={focused === first + index}
                />
              ));
          }}
        </VirtualRows>
      </div>
    </section>
  );
}

const counted = (number: number): string => number.toLocaleString('en');

/** `j` and `k` move through the lines, `Enter` opens. */
function useFocusedLine(sites: readonly Site[]): number | null {
  const [focused, setFocused] = useState<number | null>(null);
  const move = (by: number): void => setFocused((before) => Math.max(0, Math.min(sites.length - 1, (before ?? -1) + by)));
  useEffect(() => {
    document.querySelector('.line.focused')?.scrollIntoView({ block: 'nearest' });
  }, [focused]);
  useKeys({
    j: { does: 'The next site', run: () => move(1) },
    k: { does: 'The site before', run: () => move(-1) },
    Enter: {
      does: 'Open the site',
      run: () => {
        const site = focused === null ? undefined : sites[focused];
        if (site !== undefined) goTo(hrefOf(['projects', site.id]));
      },
    },
  });
  return focused;
}

const SORT_WORDS: Readonly<Record<SiteSort['by'], string>> = {
  title: 'by title',
  state: 'by state',
  address: 'by address',
  certificate: 'by certificate',
};

/** Replaces the heads of the columns on a narrow screen. */
function SortField({ sort: { by } }: { readonly sort: SiteSort }) {
  return (
    <select name="sort" aria-label="Order" value={by} onChange={({ currentTarget: { value } }) => setQuery('sort', value)}>
      {SORTS.map((name) => (
        <option key={name} value={name}>
          {SORT_WORDS[name]}
        </option>
      ))}
    </select>
  );
}

function Head({ sort, isNarrow }: { readonly sort: SiteSort; readonly isNarrow: boolean }) {
  return (
    <div role="rowgroup">
      <div role="row" class="line head">
        <SortedColumn by="state" sort={sort} words="State" isHidden />
        <SortedColumn by="title" sort={sort} words="Site" />
        <SortedColumn by="address" sort={sort} words="Address" />
        <span role="columnheader">{isNarrow ? '30 days' : '90 days'}</span>
        <span role="columnheader">Response, 24 h</span>
        <span role="columnheader" class="number">
          median
        </span>
        <SortedColumn by="certificate" sort={sort} words="cert" isNumber />
        <span role="columnheader" class="number planned">
          planned work
        </span>
        <span role="columnheader" class="number">
          30 days
        </span>
      </div>
    </div>
  );
}

interface SortedColumnProps {
  readonly by: SiteSort['by'];
  readonly sort: SiteSort;
  readonly words: string;
  readonly isHidden?: boolean;
  readonly isNumber?: boolean;
}

function SortedColumn({ by, sort, words, isHidden = false, isNumber = false }: SortedColumnProps) {
  const isSorted = sort.by === by;
  const next = isSorted && !sort.isReversed ? `-${by}` : by;
  return (
    <span
      role="columnheader"
      class={isNumber ? 'number' : ''}
      aria-sort={isSorted ? (sort.isReversed ? 'descending' : 'ascending') : 'none'}
    >
      <button class="sort" title={`Sort ${SORT_WORDS[by]}`} onClick={() => setQuery('sort', next === 'title' ? null : next)}>
        <span class={isHidden ? 'hidden' : ''}>{words}</span>
        {(isSorted || isHidden) && <span aria-hidden="true">{isSorted ? (sort.isReversed ? '↑' : '↓') : '↕'}</span>}
      </button>
    </span>
  );
}

const SEARCH_MS = 200;

function SearchField({ search }: { readonly search: string }) {
  const [text, setText] = useState(search);
  const field = useRef<HTMLInputElement>(null);
  useKeys({ '/': { does: 'Search sites', run: () => field.current?.focus() } });
  useEffect(() => {
    const timer = setTimeout(() => text !== search && setQuery('search', text === '' ? null : text), SEARCH_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <label class="search">
      <span class="hidden">Search sites by title or address</span>
      <input ref={field} type="search" placeholder="Search sites" value={text} onInput={(event) => setText(event.currentTarget.value)} />
      <kbd aria-hidden="true">/</kbd>
    </label>
  );
}
