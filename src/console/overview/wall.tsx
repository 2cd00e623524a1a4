import { useState } from 'preact/hooks';
import { useEvery } from '../frame/use-every.ts';
import { Glyph } from '../parts/glyph.tsx';
import type { GlyphState } from '../parts/glyph-state.ts';
import { isConnected, service } from '../service/service.ts';
import { useFollowedProjects } from '../service/live.ts';
import { useLoaded } from '../service/use-loaded.ts';
import { clockText, spanOf } from '../time/instants.ts';
import { overviewSentence, problemSentence } from './sentences.ts';
import { useSites } from './site-list.ts';

/** A screen in a corridor tells how old it is to the minute. */
const TICK_MS = 20_000;

const BY_STATUS: Readonly<Record<string, GlyphState>> = { ok: 'working', error: 'failing', timeout: 'failing' };

/** For a screen in a corridor: what fails is large, the others can be read, nothing can be pressed. */
export function Wall() {
  const [round, setRound] = useState(0);
  const [listRound, setListRound] = useState(0);
  const [now, setNow] = useState(Date.now);
  const overview = useLoaded(`wall ${String(round)}`, async (signal) => ({
    found: (await service.get('/projects/overview', { signal })).data,
    readAt: Date.now(),
  }));
  const { sites } = useSites('', listRound);
  const readAgain = (): void => setRound((before) => before + 1);
  useFollowedProjects({
    onChange: readAgain,
    onListChange: () => {
      readAgain();
      setListRound((before) => before + 1);
    },
  });
  useEvery(TICK_MS, true, () => {
    setNow(Date.now());
    readAgain();
  });
  if (overview.value === undefined) return <main class="wall" aria-busy="true" />;
  const { found, readAt } = overview.value;
  const failing = found.problems.filter(({ severity }) => severity === 'failing');
  const warned = new Set(found.problems.map(({ project }) => project.id));
  const shown = new Set(failing.map(({ project }) => project.id));
  return (
    <main class="wall">
      <header>
        <h1>{overviewSentence(found)}</h1>
        <p class={isConnected.value ? 'soft' : 'warn'}>
          {isConnected.value ? clockText(readAt) : `The service does not answer. As of ${clockText(readAt)}, ${spanOf(now - readAt)} ago.`}
        </p>
      </header>
      <ul class="wall-failing">
        {failing.map(({ project, kind, severity, sentence, since, test }) => (
          <li key={`${project.id} ${kind}`}>
            <Glyph state="failing" />
            <div>
              <strong>{project.title}</strong>
              <p>
                {test !== null && `${test.name} `}
                {problemSentence(kind, severity, sentence)}
              </p>
              {since !== null && <p class="soft">for {spanOf(now - Date.parse(since))}</p>}
            </div>
          </li>
        ))}
      </ul>
      <ul class="wall-others">
        {sites
          .filter(({ id }) => !shown.has(id))
          .map(({ id, title, status }) => (
            <li key={id}>
              <Glyph state={warned.has(id) ? 'warning' : (BY_STATUS[status ?? ''] ?? 'unknown')} /> {title}
            </li>
          ))}
      </ul>
    </main>
  );
}
