import type { Carrier } from '../../platform/http/context/request-slot.ts';
import { namedIdsSlot } from '../../platform/http/context/request-state.ts';
import { OBJECT_ID } from '../../kernel/ids.ts';
import { areaView } from '../../projects/areas/area.view.ts';
import { checkView } from '../../projects/checks/check.view.ts';
import type { Views } from '../../platform/read-models/views/views.ts';
import { areaSlot, checkSlot } from '../../projects/request-project.ts';

/** A request, as far as it names a project: `/project/:id/…`, `/test/:id`, `/area/:id`, or the query of `POST /test`. */
export interface RoutedRequest {
  readonly route: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
}

type Noun = 'project' | 'check' | 'area';
const NOUNS: Readonly<Record<string, Noun>> = { project: 'project', test: 'check', tests: 'check', area: 'area' };

/** The id of the project, null when the request names none. The row of a check or area that was read on the way is kept for the handler. */
export async function projectOf({ route, params, query }: RoutedRequest, views: Views, request: Carrier): Promise<string | null> {
  const named = namedBy(route);
  if (named === null) return idOf(query['projectId']) ?? (await projectOfArea(idOf(query['areaId']), views, request));
  const id = idOf(params[named.param]);
  switch (named.noun) {
    case 'project':
      return id;
    case 'area':
      return projectOfArea(id, views, request);
    case 'check':
      return projectOfCheck(id, views, request);
  }
}

/** The first noun of the route and the parameter after it. */
function namedBy(route: string): { readonly noun: Noun; readonly param: string } | null {
  const segments = route.split('/');
  const at = segments.findIndex((segment) => Object.hasOwn(NOUNS, segment));
  const noun = NOUNS[segments[at] ?? ''];
  const param = segments[at + 1];
  return noun !== undefined && param?.startsWith(':') === true ? { noun, param: param.slice(1) } : null;
}

const idOf = (value: unknown): string | null => (typeof value === 'string' && OBJECT_ID.test(value) ? value : null);

async function projectOfArea(id: string | null, views: Views, request: Carrier): Promise<string | null> {
  const row = id === null ? null : await views.get(areaView, id);
  if (row === null) return null;
  areaSlot.set(request, row);
  namedIdsSlot.set(request, { areaId: row.id });
  return row.projectId;
}

async function projectOfCheck(id: string | null, views: Views, request: Carrier): Promise<string | null> {
  const row = id === null ? null : await views.get(checkView, id);
  if (row === null) return null;
  checkSlot.set(request, row);
  namedIdsSlot.set(request, { checkId: row.id });
  return row.projectId;
}
