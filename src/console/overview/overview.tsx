import { useMemo, useState } from 'preact/hooks';
import { address, showInstant, shownInstant } from '../frame/address.ts';
import type { Schemas } from '../../client.ts';
import { Link } from '../frame/link.tsx';
import { Problem } from '../parts/problem.tsx';
import { Failed, PageState, Stale } from '../parts/states.tsx';
import { asOfShown, service } from '../service/service.ts';
import { useFollowedProjects } from '../service/live.ts';
import { useLoaded } from '../service/use-loaded.ts';
import { session } from '../session/session.ts';
import { fullOf, shortOf } from '../time/instants.ts';
import { shownMarks } from '../time/marks.ts';
import { shownInstantOf } from '../time/neighbour.ts';
import { AddSite } from './add-site.tsx';
import { Invitations } from './invitations.tsx';
import { knownProblems, overviewSentence, restSentence } from './sentences.ts';
import { useSites } from './site-list.ts';
import { Sites } from './sites.tsx';
import { serverNow } from '../time/server-clock.ts';

const SHOWN_PROBLEMS = 8;

/** All sites: what needs attention in sentences, then a line for each. */
export function Overview() {
  const [round, setRound] = useState(0);
  const [listRound, setListRound] = useState(0);
  const at = shownInstant.value;
  const search = address.value.query.get('search') ?? '';
  const overview = useLoaded(
    String(at),
    async (signal) => (await service.get('/projects/overview', { query: asOfShown(), signal })).data,
    round,
  );
  const list = useSites(search, listRound);
  const readAgain = (): void => setRound((before) => before + 1);
  const readListAgain = (): void => {
    readAgain();
    setListRound((before) => before + 1);
  };
  useFollowedProjects({
    onChange: readAgain,
    onListChange: readListAgain,
  });
  const [unmeasured, setUnmeasured] = useState({ silent: 0, never: 0 });
  const found = overview.value;
  const known = useMemo(() => knownProblems(found), [found]);
  if (found === undefined) return <PageState what="The overview" error={overview.error} retry={overview.reload} />;
  const mayCreate = session.value?.rights.create === true && at === null;
  // What stands below the list waits for it: it would be pushed down.
  const isListed = list.isWhole || list.sites.length > 0 || list.error !== undefined;
  const measuring = { ...unmeasured, isPast: at !== null };
  return (
    <main class="page">
      <h1>{overviewSentence(found, measuring)}</h1>
      {found.total === 0 ? (
        <p class="soft">{at !== null && <BeginOfRecord at={at} />}</p>
      ) : (
        <p class="soft rest">
          {restSentence(found, measuring)}
          {found.attention === 0 && <LastFailure now={at ?? serverNow()} />}
        </p>
      )}
      {overview.error !== undefined && <Stale readAt={overview.readAt} error={overview.error} now={serverNow()} />}
      <Problems problems={found.problems} now={at ?? serverNow()} />
      <Invitations now={serverNow()} onAccept={readListAgain} />
      {found.total === 0 ? (
        <FirstStep mayCreate={mayCreate} />
      ) : (
        <>
          <Sites
            sites={list.sites}
            now={at ?? serverNow()}
            total={search === '' && list.isWhole ? list.sites.length : null}
            search={search}
            known={known}
            onUnmeasured={setUnmeasured}
          />
          {list.error !== undefined && <Failed what="The list of sites" error={list.error} />}
          {mayCreate && isListed && <AddSite isFirst={false} />}
        </>
      )}
    </main>
  );
}

/** Stands in place of an empty list; in the past there is no step to make. */
function FirstStep({ mayCreate }: { readonly mayCreate: boolean }) {
  if (mayCreate)
    return (
      <>
        <p class="soft">Type an address: its uptime, its certificate and a few preset checks are watched at once.</p>
        <AddSite isFirst />
      </>
    );
  return shownInstant.value === null ? <p class="soft">Auditors add no sites: those of other people appear here.</p> : null;
}

/** Says when the record begins, while the instant that is shown lies before that. */
function BeginOfRecord({ at }: { readonly at: number }) {
  const { value: begin } = useLoaded('', async (signal) => {
    const { data } = await service.get('/projects', { query: { limit: 1, sort: 'created', fields: 'id' }, signal });
    const [first] = data.projects;
    if (first === undefined) return undefined;
    const history = await service.get('/project/{id}/history', { path: { id: first.id }, query: { order: 'asc', limit: 1 }, signal });
    const [event] = history.data.events;
    // When it was recorded, which may be seconds after the site was created.
    return event === undefined ? undefined : shownInstantOf({ at: event.recordedAt });
  });
  if (begin === undefined || begin <= at) return null;
  return (
    <>
      The record of your sites begins on{' '}
      <button class="quiet inline" onClick={() => showInstant(begin)}>
        {fullOf(begin)}
      </button>
      .
    </>
  );
}

type OverviewAnswer = Schemas['Overview'];
type Problems = OverviewAnswer['problems'];

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

/** Since when all is well, as far as the bar of time reaches back. */
function LastFailure({ now }: { readonly now: number }) {
  const last = shownMarks.value.findLast(({ kind, at }) => kind === 'failure' && Date.parse(at) <= now);
  if (last === undefined) return null;
  return (
    <>
      {' '}
      The last failure was recorded <Link to={['projects', last.project, 'events', last.event]}>{shortOf(Date.parse(last.at), now)}</Link>.
    </>
  );
}
