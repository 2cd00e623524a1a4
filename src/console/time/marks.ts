import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { DataOf } from '../../client.ts';
import { liveRound } from '../service/live.ts';
import { service } from '../service/service.ts';
import { useLoaded } from '../service/use-loaded.ts';
import type { ShownSpan } from './scale.ts';

export type Mark = DataOf<'/projects/marks', 'get'>['marks'][number];

/** A thousandth of a bar is hardly a pixel: smaller moves of its span ask for nothing. */
const GRAINS = 1_000;
const LEAST_GRAIN_MS = 60_000;

/** Those of the bar, for pages that say what it marks. */
export const shownMarks = signal<readonly Mark[]>([]);

export function useMarks(span: ShownSpan, project: string | null): readonly Mark[] {
  const grain = Math.max(LEAST_GRAIN_MS, (span.to - span.from) / GRAINS);
  const from = Math.floor(span.from / grain) * grain;
  const to = Math.ceil(span.to / grain) * grain;
  const { value } = useLoaded(
    `${String(from)} ${String(to)} ${project ?? ''}`,
    async (signal) => {
      const query = { from: new Date(from).toISOString(), to: new Date(to).toISOString(), ...(project !== null && { project }) };
      return (await service.get('/projects/marks', { query, signal })).data.marks;
    },
    liveRound.value,
  );
  useEffect(() => {
    shownMarks.value = value ?? [];
  }, [value]);
  return value ?? [];
}
