import { useState } from 'preact/hooks';
import type { Schemas } from '../../client.ts';
import { useEvery } from '../frame/use-every.ts';
import { Glyph } from '../parts/glyph.tsx';
import { isConnected, service } from '../service/service.ts';
import { useFollowedProjects } from '../service/live.ts';
import { useLoaded } from '../service/use-loaded.ts';
import { clockText, spanOf, localInstants } from '../time/instants.ts';
import { FIGURES_AT_ONCE, useFigures } from './figures.ts';
import { knownProblems, overviewSentence, problemSentence, restSentence, unmeasuredIn } from './sentences.ts';
import { listedState } from './shown-sites.ts';
import { useSites } from './site-list.ts';
import { serverNow } from '../time/server-clock.ts';

/** A screen in a corridor shows how old it is to the minute. */
const TICK_MS = 20_000;

/** For a screen in a corridor: what needs attention is large, the others can be read, nothing can be pressed. */
export function Wall() {
  const [round, setRound] = useState(0);
  const [listRound, setListRound] = useState(0);
  const now = serverNow();
  const overview = useLoaded('wall', async (signal) => (await service.get('/projects/overview', { signal })).data, round);
  const { sites } = useSites('', listRound);
  const figures = useFigures(
    sites.slice(0, FIGURES_AT_ONCE).map(({ id }) => id),
    'wall',
  );
  const readAgain = (): void => setRound((before) => before + 1);
  useFollowedProjects({
    onChange: readAgain,
    onListChange: () => {
      readAgain();
      setListRound((before) => before + 1);
    },
  });
  useEvery(TICK_MS, true, () => {
    readAgain();
  });
  const { value: found, readAt } = overview;
  if (found === undefined) return <main class="wall" aria-busy="true" />;
  const known = knownProblems(found);
  const measuring = { ...unmeasuredIn(figures, sites, known.severities), isPast: false };
  const large = new Set(found.problems.map(({ project }) => project.id));
  return (
    <main class="wall">
      <header>
        <div>
          <h1>{overviewSentence(found, measuring)}</h1>
          <p class="soft">{restSentence(found, measuring)}</p>
        </div>
        <p class={isConnected.value ? 'wall-clock' : 'warn'}>
          {isConnected.value ? clockText(readAt) : `The service does not answer. As of ${clockText(readAt)}, ${spanOf(now - readAt)} ago.`}
        </p>
      </header>
      <ul class="wall-failing">
        {found.problems.map((problem) => (
          <Large key={`${problem.project.id} ${problem.kind}`} problem={problem} now={now} />
        ))}
      </ul>
      <ul class={sites.length > 60 ? 'wall-others many' : 'wall-others'}>
        {sites
          .filter(({ id }) => !large.has(id))
          .map((site) => (
            <li key={site.id}>
              <Glyph state={figures.get(site.id)?.state ?? listedState(site, known)} /> {site.title}
            </li>
          ))}
      </ul>
    </main>
  );
}

interface LargeProps {
  readonly problem: Schemas['Overview']['problems'][number];
  readonly now: number;
}

function Large({ problem: { project, kind, severity, sentence, since, test }, now }: LargeProps) {
  return (
    <li class={severity}>
      <Glyph state={severity} />
      <div>
        <strong>{project.title}</strong>
        <p>
          {test !== null && `${test.name} `}
          {problemSentence(kind, severity, localInstants(sentence, now))}
        </p>
        {since !== null && severity === 'failing' && <p class="soft">for {spanOf(now - Date.parse(since))}</p>}
      </div>
    </li>
  );
}
