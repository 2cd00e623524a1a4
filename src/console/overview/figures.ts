import { useEffect, useState } from 'preact/hooks';
import type { Schemas } from '../../client.ts';
import { useEvery } from '../frame/use-every.ts';
import { asOfShown, service } from '../service/service.ts';
import { changedProjects } from '../service/live.ts';
import { serverNow } from '../time/server-clock.ts';

export type Figures = Schemas['ProjectFigures'];

/** One request for the lines of a screen. */
export const FIGURES_AT_ONCE = 60;
const SETTLED_MS = 80;
/** Figures move on by themselves, because measurements are no events: response times and the last day. */
const FRESH_MS = 300_000;

interface Known {
  readonly figures: Figures;
  readonly readAt: number;
}

/** The figures of the lines that are on the screen, read together once scrolling has settled. `key`: the instant that is shown. */
export function useFigures(ids: readonly string[], key: string): ReadonlyMap<string, Figures> {
  const [known, setKnown] = useState<{ readonly key: string; readonly byId: ReadonlyMap<string, Known> }>({ key, byId: new Map() });
  const byId = known.key === key ? known.byId : new Map<string, Known>();
  const changed = changedProjects.value;
  const [, setTick] = useState(0);
  useEvery(FRESH_MS, true, () => setTick((before) => before + 1));
  const now = serverNow();
  const wanted = ids.filter((id) => changed.has(id) || (byId.get(id)?.readAt ?? 0) < now - FRESH_MS).slice(0, FIGURES_AT_ONCE);
  useEffect(() => {
    if (wanted.length === 0) return undefined;
    const aborter = new AbortController();
    const timer = setTimeout(() => {
      const query = { ids: wanted.join(','), ...asOfShown() };
      service.get('/projects/figures', { query, signal: aborter.signal }).then(
        ({ data }) => {
          const readAt = serverNow();
          setKnown((before) => ({
            key,
            byId: new Map([
              ...(before.key === key ? before.byId : []),
              ...data.figures.map((figures) => [figures.id, { figures, readAt }] as const),
            ]),
          }));
        },
        // The lines stay without figures until they are asked for again.
        () => undefined,
      );
    }, SETTLED_MS);
    return () => {
      clearTimeout(timer);
      aborter.abort();
    };
  }, [wanted.join(','), key]);
  return new Map([...byId].map(([id, { figures }]) => [id, figures]));
}
