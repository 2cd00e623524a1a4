import type { DataOf } from '../../client.ts';
import { service } from '../service/service.ts';
import { useLoaded } from '../service/use-loaded.ts';
import type { ShownSpan } from './scale.ts';

export type Mark = DataOf<'/projects/marks', 'get'>['marks'][number];

/** Marks are read for whole minutes, so that small moves of the span ask for nothing. */
const GRAIN_MS = 60_000;

export function useMarks(span: ShownSpan, project: string | null): readonly Mark[] {
  const from = Math.floor(span.from / GRAIN_MS) * GRAIN_MS;
  const to = Math.ceil(span.to / GRAIN_MS) * GRAIN_MS;
  const { value } = useLoaded(`${String(from)} ${String(to)} ${project ?? ''}`, async (signal) => {
    const query = { from: new Date(from).toISOString(), to: new Date(to).toISOString(), ...(project !== null && { project }) };
    return (await service.get('/projects/marks', { query, signal })).data.marks;
  });
  return value ?? [];
}
