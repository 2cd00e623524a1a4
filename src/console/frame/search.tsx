import { useEffect, useRef, useState } from 'preact/hooks';
import { address, goTo, hrefOf } from './address.ts';
import { useKeys } from './keys.ts';
import { service } from '../service/service.ts';
import { localInstants } from '../time/instants.ts';
import { serverNow } from '../time/server-clock.ts';

interface FoundPlace {
  readonly kind: 'site' | 'check' | 'event';
  readonly words: string;
  readonly path: readonly string[];
}

const SHOWN = 6;
/** Events have no search by text: the newest are read and searched here. */
const EVENTS = 1_000;

/** Sites by title or address; of the site that is shown its checks, and its newest events by what they say. */
async function searchEverywhere(text: string, projectId: string | null, signal: AbortSignal): Promise<readonly FoundPlace[]> {
  const [sites, checks, events] = await Promise.all([
    sitesWith(text, signal),
    projectId === null ? [] : checksWith(projectId, text, signal),
    projectId === null ? [] : eventsWith(projectId, text, signal),
  ]);
  return [...checks, ...sites, ...events];
}

async function sitesWith(search: string, signal: AbortSignal): Promise<readonly FoundPlace[]> {
  const query = { limit: SHOWN, sort: 'title', fields: 'id,title', search } as const;
  const { data } = await service.get('/projects', { query, signal });
  return data.projects.map(({ id, title }) => ({ kind: 'site', words: title, path: ['projects', id] }));
}

async function checksWith(id: string, search: string, signal: AbortSignal): Promise<readonly FoundPlace[]> {
  const { data } = await service.get('/project/{id}/tests', { path: { id }, query: { limit: SHOWN, search }, signal });
  return data.map(({ id: testId, name, url }) => ({
    kind: 'check',
    words: name === '' ? url : name,
    path: ['projects', id, 'checks', testId],
  }));
}

async function eventsWith(id: string, text: string, signal: AbortSignal): Promise<readonly FoundPlace[]> {
  const query = { limit: EVENTS, fields: 'id,summary,type,recordedAt' };
  const { data } = await service.get('/project/{id}/history', { path: { id }, query, signal });
  const wanted = text.toLowerCase();
  return data.events
    .filter(({ summary, type }) => `${summary} ${type}`.toLowerCase().includes(wanted))
    .slice(0, SHOWN)
    .map(({ id: eventId, summary }) => ({
      kind: 'event',
      words: localInstants(summary, serverNow()),
      path: ['projects', id, 'events', eventId],
    }));
}

const SETTLED_MS = 150;

/** `/` finds sites anywhere, and the checks and events of the site that is shown. */
export function Search() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [isOpen, setOpen] = useState(false);
  const open = (): void => {
    setOpen(true);
    dialog.current?.showModal();
  };
  useKeys({ '/': { does: 'Search sites, checks and events', run: open } });
  return (
    <>
      <button class="open-search" onClick={open}>
        <span>Search</span>
        {/* The list of sites has a field of its own, which has the key there. */}
        {address.value.path.length > 0 && <kbd aria-hidden="true">/</kbd>}
      </button>
      <dialog ref={dialog} class="shortcuts search-dialog" aria-label="Search" onClose={() => setOpen(false)}>
        {isOpen && <Found close={() => dialog.current?.close()} />}
      </dialog>
    </>
  );
}

function Found({ close }: { readonly close: () => void }) {
  const [text, setText] = useState('');
  const [places, setPlaces] = useState<readonly FoundPlace[] | null>(null);
  const [chosen, setChosen] = useState(0);
  const field = useRef<HTMLInputElement>(null);
  const [room, id] = address.value.path;
  const projectId = room === 'projects' ? (id ?? null) : null;
  useEffect(() => field.current?.focus(), []);
  useEffect(() => {
    setChosen(0);
    if (text.trim() === '') {
      setPlaces(null);
      return undefined;
    }
    const aborter = new AbortController();
    const timer = setTimeout(() => {
      searchEverywhere(text.trim(), projectId, aborter.signal).then(setPlaces, () => undefined);
    }, SETTLED_MS);
    return () => {
      clearTimeout(timer);
      aborter.abort();
    };
  }, [text]);
  const follow = (place: FoundPlace | undefined): void => {
    if (place === undefined) return;
    close();
    goTo(hrefOf(place.path));
  };
  // As an object, because the declaration of the role asks for a list of options that the browser would show.
  const combobox: object = {
    type: 'search',
    role: 'combobox',
    'aria-controls': 'found-places',
    'aria-expanded': places !== null,
    'aria-label': projectId === null ? 'Search sites' : 'Search sites, and checks and events of this site',
    'aria-activedescendant': places?.[chosen] === undefined ? undefined : `place-${String(chosen)}`,
  };
  return (
    <>
      <input
        {...combobox}
        ref={field}
        placeholder={projectId === null ? 'Search sites' : 'Search sites, checks, events'}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          const last = (places?.length ?? 0) - 1;
          if (event.key === 'ArrowDown') setChosen(Math.min(last, chosen + 1));
          else if (event.key === 'ArrowUp') setChosen(Math.max(0, chosen - 1));
          else if (event.key === 'Enter') follow(places?.[chosen]);
          else return;
          event.preventDefault();
        }}
      />
      <ul id="found-places" class="found-places" role="listbox" aria-label="Found">
        {places?.map((place, index) => (
          <li
            key={place.path.join('/')}
            id={`place-${String(index)}`}
            role="option"
            aria-selected={index === chosen}
            onClick={() => follow(place)}
          >
            <span class="soft">{place.kind}</span> {place.words}
          </li>
        ))}
      </ul>
      {places?.length === 0 && <p class="soft">Nothing matches “{text}”.</p>}
    </>
  );
}
