import { useEffect, useState } from 'preact/hooks';
import { address, setQuery, shownInstant } from '../frame/address.ts';
import { rememberTitle, useTitle } from '../frame/titles.ts';
import { Failed, PageState } from '../parts/states.tsx';
import { service } from '../service/service.ts';
import { useLoaded } from '../service/use-loaded.ts';
import { fullOf } from '../time/instants.ts';
import { type Filter, FILTERS, typesOf } from './event-kinds.ts';
import { type CauseAndEffects, chainsOf } from './chains.ts';
import { EventRow, type HistoryEvent } from './event-row.tsx';
import { useKeys } from '../frame/keys.ts';

const ROWS = 'main .rows-list > li a.plain';

/** `j` and `k` move the focus from row to row of a list of links, so that `Enter` opens one. */
function useRowKeys(): void {
  const move = (by: 1 | -1): void => {
    const rows = [...document.querySelectorAll<HTMLElement>(ROWS)];
    const current = rows.findIndex((row) => row === document.activeElement);
    rows[Math.max(0, Math.min(rows.length - 1, current + by))]?.focus();
  };
  useKeys({
    j: { does: 'The next row', run: () => move(1) },
    k: { does: 'The row before', run: () => move(-1) },
  });
}

const PAGE = 100;
const dayName = new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });

/** The history of a project as a person reads it: by day, the newest first, up to the instant that is shown. */
export function Timeline({ id }: { readonly id: string }) {
  const at = shownInstant.value;
  const [older, setOlder] = useState<readonly HistoryEvent[]>([]);
  const [problem, setProblem] = useState<unknown>(undefined);
  useRowKeys();
  const filter = (Object.keys(FILTERS) as Filter[]).find((name) => name === address.value.query.get('show')) ?? 'main';
  const isGrouped = address.value.query.get('group') === 'chain';
  const read = async (cursor: string | null, signal?: AbortSignal) => {
    const type = typesOf[filter];
    const query = {
      limit: PAGE,
      ...(type && { type: [...type] }),
      ...(at !== null && { to: new Date(at).toISOString() }),
      ...(cursor !== null && { cursor }),
    };
    const { data } = await service.get('/project/{id}/history', { path: { id }, query, ...(signal && { signal }) });
    return data;
  };
  const { value, error, reload } = useLoaded(`${id} ${String(at)} ${filter}`, async (signal) => {
    const [page, project] = await Promise.all([read(null, signal), service.get('/project/{id}', { path: { id }, signal })]);
    return { page, title: project.data.title };
  });
  useTitle('History');
  const [cursor, setCursor] = useState<string | null>(null);
  useEffect(() => {
    setOlder([]);
    setCursor(value?.page.nextCursor ?? null);
    if (value !== undefined) rememberTitle(id, value.title);
  }, [value]);
  if (value === undefined) return <PageState what="The history" error={error} retry={reload} />;
  const more = async (): Promise<void> => {
    try {
      const page = await read(cursor);
      setOlder((before) => [...before, ...page.events]);
      setCursor(page.nextCursor ?? null);
      setProblem(undefined);
    } catch (failure) {
      setProblem(failure);
    }
  };
  const events = [...value.page.events, ...older];
  return (
    <main class="page">
      <h1>What happened in {value.title}</h1>
      <p class="soft">
        {at === null ? 'The newest first.' : `Up to ${fullOf(at)}, the newest first.`} Each line opens its data, its evidence and what led
        to it.
      </p>
      <div class="filters" role="group" aria-label="Kinds of events">
        {(Object.entries(FILTERS) as [Filter, string][]).map(([name, words]) => (
          <button key={name} aria-pressed={name === filter} onClick={() => setQuery('show', name === 'main' ? null : name)}>
            {words}
          </button>
        ))}
        <button aria-pressed={isGrouped} onClick={() => setQuery('group', isGrouped ? null : 'chain')}>
          By chain
        </button>
      </div>
      {byDay(events).map(([day, ofDay]) => (
        <section key={day} class="section" aria-label={day}>
          <h2>{day}</h2>
          <ul class="rows-list events">
            {isGrouped
              ? chainsOf(ofDay).map((chain) => <ChainRow key={chain.cause.id} chain={chain} projectId={id} />)
              : ofDay.map((event) => <EventRow key={event.id} event={event} projectId={id} />)}
          </ul>
        </section>
      ))}
      {events.length === 0 && <p class="soft">Nothing of this kind has happened.</p>}
      {problem !== undefined && <Failed what="Older events" error={problem} />}
      {cursor !== null && (
        <div class="actions">
          <button onClick={() => void more()}>Older events</button>
        </div>
      )}
    </main>
  );
}

function byDay(events: readonly HistoryEvent[]): readonly (readonly [string, readonly HistoryEvent[]])[] {
  const days = new Map<string, HistoryEvent[]>();
  for (const event of events) {
    const day = dayName.format(Date.parse(event.recordedAt));
    days.set(day, [...(days.get(day) ?? []), event]);
  }
  return [...days];
}

/** The cause of a chain, and below it what followed. */
function ChainRow({ chain: { cause, effects }, projectId }: { readonly chain: CauseAndEffects<HistoryEvent>; readonly projectId: string }) {
  if (effects.length === 0) return <EventRow event={cause} projectId={projectId} />;
  return (
    <>
      <EventRow event={cause} projectId={projectId} />
      <li class="effects">
        <details>
          <summary>
            {effects.length} {effects.length === 1 ? 'event' : 'events'} followed
          </summary>
          <ul class="rows-list events">
            {effects.map((event) => (
              <EventRow key={event.id} event={event} projectId={projectId} />
            ))}
          </ul>
        </details>
      </li>
    </>
  );
}
