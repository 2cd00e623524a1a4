import { useEffect, useRef, useState } from 'preact/hooks';
import type { ComponentChildren, ComponentType } from 'preact';
import { Overview } from '../overview/overview.tsx';
import { Disconnected, Failed, PageState } from '../parts/states.tsx';
import { isConnected, isSignedOut } from '../service/service.ts';
import { ChoosePassword } from '../session/choose-password.tsx';
import { returnPathOf } from '../session/return-path.ts';
import { loadSession, session } from '../session/session.ts';
import { SignIn } from '../session/sign-in.tsx';
import { spanOf } from '../time/instants.ts';
import { clockSkew } from '../time/server-clock.ts';
import { TimeBar } from '../time/time-bar.tsx';
import { address, goTo, hrefOf } from './address.ts';
import { Header } from './header.tsx';
import { Link } from './link.tsx';
import { Shortcuts } from './shortcuts.tsx';

const ProjectPage = lazy(async () => (await import('../project/project.tsx')).ProjectPage);
const Timeline = lazy(async () => (await import('../timeline/timeline.tsx')).Timeline);
const AdministrationPage = lazy(async () => (await import('../administration/administration.tsx')).AdministrationPage);
const Wall = lazy(async () => (await import('../overview/wall.tsx')).Wall);
const Compare = lazy(async () => (await import('../compare/compare.tsx')).Compare);
const ProofPage = lazy(async () => (await import('../proof/proof-page.tsx')).ProofPage);
const Editor = lazy(async () => (await import('../editor/editor.tsx')).Editor);
const GroupEditor = lazy(async () => (await import('../groups/group-editor.tsx')).GroupEditor);
const EventPage = lazy(async () => (await import('../event/event.tsx')).EventPage);
const PageList = lazy(async () => (await import('../status-pages/page-list.tsx')).PageList);
const PageEditor = lazy(async () => (await import('../status-pages/page-editor.tsx')).PageEditor);
const FactorNeeded = lazy(async () => (await import('../administration/second-factors.tsx')).FactorNeeded);
const Gallery = lazy(async () => (await import('../gallery/gallery.tsx')).Gallery);
const TeamsPage = lazy(async () => (await import('../teams/teams.tsx')).TeamsPage);

/** A minute is what most pages show. */
const SHOWN_SKEW_MS = 60_000;

/** The page says that it waits for the session after this time. */
const LONG_MS = 1_500;

/** Read once: a fragment with a one-time link, or with the code of a sign-in provider, leaves the address bar at once. */
const fragment = new URLSearchParams(location.hash.slice(1));
const [link, providerCode] = [fragment.get('link'), fragment.get('code')];
if (link !== null || providerCode !== null) history.replaceState(null, '', location.pathname + location.search);

/** Who is signed in decides what is shown; then the path does. */
export function App() {
  const [error, setError] = useState<unknown>(undefined);
  const load = (): void => {
    setError(undefined);
    loadSession().catch(setError);
  };
  useEffect(load, []);
  const found = session.value;
  useEffect(() => {
    if (found != null && address.value.path[0] === 'welcome') goTo(hrefOf([]), { replace: true });
  }, [found]);
  const isLeaving = useReturn();
  if (error !== undefined) return <Failed what="Your session" error={error} retry={load} />;
  if (found === undefined) return <Waiting />;
  if (found === null) return <SignIn link={link} providerCode={providerCode} />;
  if (found.passwordNeeded) return <ChoosePassword />;
  if (found.factorNeeded) return <FactorNeeded />;
  if (isLeaving) return null;
  if (address.value.query.get('view') === 'wall') return <Wall />;
  return (
    <>
      <div inert={isSignedOut.value}>
        {!isConnected.value && <Disconnected />}
        <ClockNote />
        <Header />
        <TimeBar project={projectShown()} />
        <Place>
          <Page />
        </Place>
        <Shortcuts />
      </div>
      {isSignedOut.value && <SignInAgain />}
    </>
  );
}

/** Over the page, which cannot be reached meanwhile; the focus returns to where it was. */
function SignInAgain() {
  const [before] = useState(document.activeElement);
  useEffect(
    () => () => {
      if (before instanceof HTMLElement) before.focus();
    },
    [],
  );
  return (
    <div class="sign-in-again" role="dialog" aria-modal="true" aria-label="Sign in again">
      <p>Your session has ended. What you typed is kept.</p>
      <SignIn link={null} providerCode={null} />
    </div>
  );
}

/** Leads a person back to the status page from which they came to sign in. Who was signed in before stays: the page was not shown to them. */
function useReturn(): boolean {
  const found = session.value;
  const wasSignedOut = useRef(false);
  if (found === null) wasSignedOut.current = true;
  const isDone = found != null && !found.passwordNeeded && !found.factorNeeded;
  const path = isDone && wasSignedOut.current ? returnPathOf(address.value.query.get('returnTo'), location.origin) : null;
  useEffect(() => {
    if (path !== null) location.replace(path);
  }, [path]);
  return path !== null;
}

/** The session is usually there in a moment; a service that asks to wait, or is slow, is worth a word. */
function Waiting() {
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), LONG_MS);
    return () => clearTimeout(timer);
  }, []);
  if (!isLong) return null;
  return (
    <main class="page">
      <h1>Waiting for the service.</h1>
      <p class="soft" role="status">
        It is slow, or asks this browser to wait after too many requests. The page appears as soon as it answers.
      </p>
    </main>
  );
}

function projectShown(): string | null {
  const [room, id] = address.value.path;
  return room === 'projects' ? (id ?? null) : null;
}

/** A reader who compares the page with a clock on the wall has to know whose time it shows. */
function ClockNote() {
  const skew = clockSkew.value;
  if (Math.abs(skew) < SHOWN_SKEW_MS) return null;
  return (
    <div class="disconnected" role="status">
      The clock of this machine is {spanOf(Math.abs(skew))} {skew < 0 ? 'ahead of' : 'behind'} that of the service, whose time is shown.
    </div>
  );
}

function Page() {
  const [room, id, part, item] = address.value.path;
  if (room === undefined) return <Overview />;
  if (room === 'proof') return <ProofPage />;
  if (room === 'status-pages') return id === undefined ? <PageList /> : <PageEditor key={id} id={id} />;
  if (room === 'administration') return <AdministrationPage />;
  const shown = room === 'projects' && id !== undefined ? ofProject(id, part, item) : null;
  if (shown !== null) return shown;
  if (room === 'gallery') return <Gallery />;
  if (room === 'teams' && id === undefined && session.value?.rights.readAll === true) return <TeamsPage />;
  return (
    <main class="page">
      <h1>There is no such page.</h1>
      <p>
        <Link to={[]}>All sites</Link>
      </p>
    </main>
  );
}

/** Below `/console/projects/{id}`; null: there is no such page. */
function ofProject(id: string, part: string | undefined, item: string | undefined) {
  if (part === undefined) return <ProjectPage key={id} id={id} />;
  if (part === 'checks' && item !== undefined) return <Editor key={item} id={id} testId={item} />;
  if (part === 'groups' && item !== undefined) return <GroupEditor key={item} id={id} groupId={item} />;
  if (part === 'compare') return <Compare key={id} id={id} />;
  if (part === 'timeline') return <Timeline key={id} id={id} />;
  if (part === 'events' && item !== undefined) return <EventPage key={item} id={id} eventId={item} />;
  return null;
}

/** What lies below the bar of time. It gets the focus when another page is opened in it, as a page does that a browser loads. */
function Place({ children }: { readonly children: ComponentChildren }) {
  const place = useRef<HTMLDivElement>(null);
  const opened = useRef('');
  const path = address.value.path.join('/');
  useEffect(() => {
    const isFirst = opened.current === '';
    opened.current = `/${path}`;
    // Not away from a field that the page itself has chosen.
    if (!isFirst && place.current?.contains(document.activeElement) !== true) place.current?.focus({ preventScroll: true });
  }, [path]);
  return (
    <div ref={place} class="place" tabIndex={-1}>
      {children}
    </div>
  );
}

/** A page whose script is loaded when it is opened first. */
function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined;
  return function Lazy(props: Props) {
    const [{ error }, setState] = useState<{ readonly error: unknown }>({ error: undefined });
    useEffect(() => {
      if (loaded !== undefined) return;
      load().then(
        (page) => {
          loaded = page;
          setState({ error: undefined });
        },
        (failure: unknown) => setState({ error: failure }),
      );
    }, []);
    if (error !== undefined) return <PageState what="This page" error={error} retry={() => location.reload()} />;
    if (loaded === undefined) return <PageState what="This page" error={undefined} />;
    const Found = loaded;
    return <Found {...props} />;
  };
}
