import { useEffect, useRef, useState } from 'preact/hooks';
import { address, goTo, hrefOf, setQuery, shownInstant } from '../frame/address.ts';
import { useKeys } from '../frame/keys.ts';
import { Problem } from '../parts/problem.tsx';
import { Failed } from '../parts/states.tsx';
import { asOfShown, service } from '../service/service.ts';
import { useFollowedProjects } from '../service/live.ts';
import { useLoaded } from '../service/use-loaded.ts';
import { session } from '../session/session.ts';
import { useNarrow } from '../frame/width.ts';
import { AddSite } from './add-site.tsx';
import { useFigures } from './figures.ts';
import { Line } from './line.tsx';
import { overviewSentence, restSentence } from './sentences.ts';
import { type Site, useSites } from './site-list.ts';
import { VirtualRows } from './virtual-rows.tsx';

const ROW = 36;
const ROW_NARROW = 64;
const SHOWN_PROBLEMS = 8;

/** All sites: what needs attention in sentences, then a line for each. */
export function Overview() {
  const [round, setRound] = useState(0);
  const [listRound, setListRound] = useState(0);
  const at = shownInstant.value;
  const search = address.value.query.get('search') ?? '';
  const overview = useLoaded(
    `${String(at)} ${String(round)}`,
    async (signal) => (await service.get('/projects/overview', { query: asOfShown(), signal })).data,
  );
  const list = useSites(search, listRound);
  const readAgain = (): void => setRound((before) => before + 1);
  useFollowedProjects({
    onChange: readAgain,
    onListChange: () => {
      readAgain();
      setListRound((before) => before + 1);
    },
  });
  const found = overview.value;
  if (found === undefined)
    return overview.error === undefined ? (
      <main class="page" aria-busy="true" />
    ) : (
      <Failed what="The overview" error={overview.error} retry={overview.reload} />
    );
  const mayCreate = session.value?.rights.create === true && at === null;
  return (
    <main class="page">
      <h1>{overviewSentence(found)}</h1>
      <p class="soft">{restSentence(found)}</p>
      <Problems problems={found.problems} now={at ?? Date.now()} />
      {found.total === 0 ? (
        mayCreate && <AddSite isFirst />
      ) : (
        <>
          <Sites
            sites={list.sites}
            now={at ?? Date.now()}
            total={search === '' && list.isWhole ? list.sites.length : null}
            search={search}
          />
          {list.error !== undefined && <Failed what="The list of sites" error={list.error} />}
          {mayCreate && <AddSite isFirst={false} />}
        </>
      )}
    </main>
  );
}

type Problems = NonNullable<Awaited<ReturnType<typeof service.get<'/projects/overview'>>>>['data']['problems'];

function Problems({ problems, now }: { readonly problems: Problems; readonly now: number }) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? problems : problems.slice(0, SHOWN_PROBLEMS);
  if (problems.length === 0) return null;
  return (
    <>
      <ul class="problems">
        {shown.map((problem) => (
          <Problem key={`${problem.project.id} ${problem.kind}`} problem={problem} project={problem.project} now={now} />
        ))}
      </ul>
      {shown.length < problems.length && (
        <button class="quiet" onClick={() => setWhole(true)}>
          Show all {problems.length}
        </button>
      )}
    </>
  );
}

interface SitesProps {
  readonly sites: readonly Site[];
  readonly total: number | null;
  readonly search: string;
  readonly now: number;
}

function Sites({ sites, total, search, now }: SitesProps) {
  const isNarrow = useNarrow();
  const [range, setRange] = useState<readonly [number, number]>([0, 30]);
  const [focused, setFocused] = useState<number | null>(null);
  const visible = sites.slice(...range);
  const figures = useFigures(
    visible.map(({ id }) => id),
    String(shownInstant.value),
  );
  const move = (by: number): void => setFocused((before) => Math.max(0, Math.min(sites.length - 1, (before ?? -1) + by)));
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
  return (
    <section aria-label="All sites">
      <div class="list-head">
        <h2>All sites {total !== null && <span class="soft">{total.toLocaleString('en')}</span>}</h2>
        <SearchField search={search} />
      </div>
      {sites.length === 0 && search !== '' && <p class="soft">No site matches “{search}”.</p>}
      <div role="table" class="sites" aria-rowcount={sites.length}>
        <div role="rowgroup">
          <div role="row" class="line head">
            <span role="columnheader">
              <span class="hidden">State</span>
            </span>
            <span role="columnheader">Site</span>
            <span role="columnheader">Address</span>
            <span role="columnheader">{isNarrow ? '30 days' : '90 days'}</span>
            <span role="columnheader">Response, 24 h</span>
            <span role="columnheader" class="number">
              median
            </span>
            <span role="columnheader" class="number">
              cert
            </span>
            <span role="columnheader" class="number">
              30 days
            </span>
          </div>
        </div>
        <VirtualRows count={sites.length} rowHeight={isNarrow ? ROW_NARROW : ROW}>
          {(first, end) => {
            if (first !== range[0] || end !== range[1]) queueMicrotask(() => setRange([first, end]));
            return sites
              .slice(first, end)
              .map((site, index) => (
                <Line
                  key={site.id}
                  site={site}
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
