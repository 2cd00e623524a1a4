import { useEffect, useRef, useState } from 'preact/hooks';
import { address, goTo, hrefOf } from './address.ts';
import { useKeys } from './keys.ts';
import { type FoundPlace, searchEverywhere } from './search-places.ts';

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
    ...{ type: 'search', role: 'combobox', 'aria-controls': 'found-places', 'aria-expanded': places !== null },
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
