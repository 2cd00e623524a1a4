import { Fragment } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { address, goTo, hrefOf } from './address.ts';
import { useKeys } from './keys.ts';
import { Link } from './link.tsx';
import { Search } from './search.tsx';
import { session, signOut } from '../session/session.ts';
import { projectTitles, shownTitle } from './titles.ts';

const PLACES = [
  { path: [] as readonly string[], name: 'Sites', key: 'o' },
  { path: ['status-pages'], name: 'Status pages', key: 's' },
  { path: ['proof'], name: 'Proof', key: 'p' },
  { path: ['teams'], name: 'Teams', key: 't' },
  { path: ['administration'], name: 'Administration', key: 'a' },
] as const;

/** The name of the product, where one is, and who is signed in. */
export function Header() {
  const [isOpen, setOpen] = useState(false);
  const { path } = address.value;
  useKeys(
    Object.fromEntries(PLACES.map(({ path: to, name, key }) => [`g ${key}`, { does: `Go to ${name}`, run: () => goTo(hrefOf(to)) }])),
  );
  const isShown = (name: string): boolean => name !== 'Teams' || session.value?.rights.readAll === true;
  const [room, id] = path;
  const project = room === 'projects' ? (id ?? null) : null;
  const nav = useRef<HTMLElement>(null);
  const account = useRef<HTMLDivElement>(null);
  // With the menu itself: an effect runs after the next frame, and a press of Escape may come before.
  useLayoutEffect(() => (isOpen ? closedBy(account.current, () => setOpen(false)) : undefined), [isOpen]);
  const placeName = PLACES.find(({ path: [first] }) => first === room)?.name;
  const here = project === null ? placeName : projectTitles.value.get(project);
  const title = shownTitle(here);
  useEffect(() => {
    document.title = title;
  }, [title]);
  useEffect(() => showPlace(nav.current), [room, project, projectTitles.value.get(project ?? '')]);
  return (
    <header class="header">
      <Link to={[]} class="product">
        Watchledger
      </Link>
      <nav ref={nav} aria-label="Places">
        {PLACES.filter(({ name }) => isShown(name)).map(({ path: to, name }) => {
          const isHere = to[0] === room || (to.length === 0 && room === 'projects');
          return (
            <Fragment key={name}>
              <Link to={to} class={isHere ? 'here' : ''}>
                {name}
              </Link>
              {to.length === 0 && project !== null && (
                <>
                  <span aria-hidden="true">/</span>
                  <Link to={['projects', project]} class="here shown-project" title={projectTitles.value.get(project) ?? ''}>
                    {projectTitles.value.get(project) ?? '…'}
                  </Link>
                </>
              )}
            </Fragment>
          );
        })}
      </nav>
      <Search />
      <div
        ref={account}
        class="account"
        onFocusOut={({ relatedTarget }) => {
          if (relatedTarget instanceof Node && account.current?.contains(relatedTarget) !== true) setOpen(false);
        }}
      >
        <button class="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <span class="hidden">Account menu of </span>
          {session.value?.account.email ?? session.value?.account.name ?? 'Account'}
        </button>
        {isOpen && (
          <div class="menu" onClick={() => setOpen(false)}>
            <Link to={['administration']}>Your account</Link>
            <button class="quiet" onClick={() => void signOut()}>
              Sign out
            </button>
          </div>
        )}
      </div>
    </header>
  );
}

/** A press of Escape, or a click anywhere else, closes a menu. Answers with what ends that. */
function closedBy(menu: HTMLElement | null, close: () => void): () => void {
  const onClick = ({ target }: Event): void => {
    if (!(target instanceof Node && menu?.contains(target) === true)) close();
  };
  const onKey = ({ key }: KeyboardEvent): void => {
    if (key !== 'Escape') return;
    close();
    menu?.querySelector('button')?.focus();
  };
  addEventListener('click', onClick);
  addEventListener('keydown', onKey);
  return () => {
    removeEventListener('click', onClick);
    removeEventListener('keydown', onKey);
  };
}

/** On a phone the places scroll sideways, and the current one has to be visible; the page itself does not scroll. */
function showPlace(nav: HTMLElement | null): void {
  const here = [...(nav?.querySelectorAll('.here') ?? [])].at(-1)?.getBoundingClientRect();
  if (nav === null || here === undefined) return;
  const { left, right } = nav.getBoundingClientRect();
  if (here.right > right) nav.scrollLeft += here.right - right;
  else if (here.left < left) nav.scrollLeft -= left - here.left;
}
