import { useEffect, useState } from 'preact/hooks';
import { Overview } from '../overview/overview.tsx';
import { Failed } from '../parts/states.tsx';
import { isConnected, isSignedOut } from '../service/service.ts';
import { ChoosePassword } from '../session/choose-password.tsx';
import { loadSession, session } from '../session/session.ts';
import { SignIn } from '../session/sign-in.tsx';
import { PastBanner } from '../time/past-banner.tsx';
import { TimeBar } from '../time/time-bar.tsx';
import { address, hrefOf, goTo } from './address.ts';
import { Header } from './header.tsx';
import { lazy } from './lazy.tsx';
import { Link } from './link.tsx';
import { Shortcuts } from './shortcuts.tsx';

const ProjectPage = lazy(async () => (await import('../project/project.tsx')).ProjectPage);
const Timeline = lazy(async () => (await import('../timeline/timeline.tsx')).Timeline);
const AdministrationPage = lazy(async () => (await import('../administration/administration.tsx')).AdministrationPage);
const Wall = lazy(async () => (await import('../overview/wall.tsx')).Wall);
const Compare = lazy(async () => (await import('../compare/compare.tsx')).Compare);
const ProofPage = lazy(async () => (await import('../proof/proof-page.tsx')).ProofPage);
const Editor = lazy(async () => (await import('../editor/editor.tsx')).Editor);
const EventPage = lazy(async () => (await import('../event/event.tsx')).EventPage);
const PageList = lazy(async () => (await import('../status-pages/page-list.tsx')).PageList);
const PageEditor = lazy(async () => (await import('../status-pages/page-editor.tsx')).PageEditor);
const FactorNeeded = lazy(async () => (await import('../administration/factor-needed.tsx')).FactorNeeded);
const TeamsPage = lazy(async () => (await import('../teams/teams.tsx')).TeamsPage);

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
  if (error !== undefined) return <Failed what="Your session" error={error} retry={load} />;
  if (found === undefined) return null;
  if (found === null) return <SignIn link={link} providerCode={providerCode} />;
  if (found.passwordNeeded) return <ChoosePassword />;
  if (found.factorNeeded) return <FactorNeeded />;
  if (address.value.query.get('view') === 'wall') return <Wall />;
  const shownProject = projectShown();
  return (
    <>
      {!isConnected.value && (
        <div class="disconnected" role="status">
          The service does not answer. What is shown may be old; the page connects again by itself.
        </div>
      )}
      <Header />
      <section aria-label="Time">
        <TimeBar project={shownProject} />
        <PastBanner>{shownProject !== null && <Link to={['projects', shownProject, 'compare']}>Compare with now</Link>}</PastBanner>
      </section>
      <Page />
      <Shortcuts />
      {isSignedOut.value && (
        <div class="sign-in-again" role="dialog" aria-modal="true" aria-label="Sign in again">
          <p>Your session has ended. What you typed is kept.</p>
          <SignIn link={null} providerCode={null} />
        </div>
      )}
    </>
  );
}

function projectShown(): string | null {
  const [room, id] = address.value.path;
  return room === 'projects' ? (id ?? null) : null;
}

function Page() {
  const [room, id, part, item] = address.value.path;
  if (room === undefined) return <Overview />;
  if (room === 'proof') return <ProofPage />;
  if (room === 'status-pages') return id === undefined ? <PageList /> : <PageEditor key={id} id={id} />;
  if (room === 'administration') return <AdministrationPage />;
  if (room === 'projects' && id !== undefined) {
    if (part === undefined) return <ProjectPage key={id} id={id} />;
    if (part === 'checks' && item !== undefined) return <Editor key={item} id={id} testId={item} />;
    if (part === 'compare') return <Compare key={id} id={id} />;
    if (part === 'timeline') return <Timeline key={id} id={id} />;
    if (part === 'events' && item !== undefined) return <EventPage key={item} id={id} eventId={item} />;
  }
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
