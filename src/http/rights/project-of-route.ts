import { OBJECT_ID } from '../../kernel/ids.ts';
import { areaView } from '../../projections/read-models/area/area.view.ts';
import { checkView } from '../../projections/read-models/check/check.view.ts';
import type { Views } from '../../projections/views/views.ts';
import type { RequestState } from '../context/request-state.ts';

/** What the route says about the project: `/project/:id/…`, `/test/:id`, `/area/:id`, or the query of `POST /test`. */
export interface Named {
  readonly route: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
}

const FIRST = /\/(project|tests?|area)(?=\/|$)(?:\/:(\w+))?/;

/** The id of the project, null when there is none. What had to be read on the way is left for the handler. */
export async function projectOf({ route, params, query }: Named, views: Views, state: RequestState): Promise<string | null> {
  const [, noun, param] = FIRST.exec(route) ?? [];
  if (param === undefined) return text(query['projectId']) ?? (await ofArea(text(query['areaId']), views, state));
  const id = text(params[param]);
  if (noun === 'project') return id;
  return noun === 'area' ? ofArea(id, views, state) : ofCheck(id, views, state);
}

/** Whatever is no id of ours names nothing. */
const text = (value: unknown): string | null => (typeof value === 'string' && OBJECT_ID.test(value) ? value : null);

async function ofArea(id: string | null, views: Views, state: RequestState): Promise<string | null> {
  const row = id === null ? null : await views.get(areaView, id);
  if (row === null) return null;
  state.area = row;
  return row.projectId;
}

async function ofCheck(id: string | null, views: Views, state: RequestState): Promise<string | null> {
  const row = id === null ? null : await views.get(checkView, id);
  if (row === null) return null;
  state.check = row;
  return row.projectId;
}
