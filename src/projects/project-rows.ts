import { Injectable } from '@nestjs/common';
import type { ReadProject, RoutedRequest, ProjectDirectory } from '../accounts/rights/project-directory.ts';
import type { Carrier } from '../platform/http/context/request-slot.ts';
import { namedIdsSlot } from '../platform/http/context/request-state.ts';
import { OBJECT_ID } from '../kernel/ids.ts';
import { areaView } from './areas/area.view.ts';
import { checkView } from './checks/check.view.ts';
import type { Views } from '../platform/read-models/views/views.ts';
import type { CommandContext } from '../platform/commands/context.ts';
import type { Principal } from '../platform/http/context/principal.ts';
import { ProjectFindings } from './project.presenter.ts';
import { type ProjectRow, projectView } from './project.view.ts';
import { areaSlot, checkSlot } from './request-project.ts';
import { RevokeServiceToken } from './service-accounts/service-account.commands.ts';
import { serviceAccountsIn } from './service-accounts/service-account.view.ts';

type Noun = 'project' | 'check' | 'area';
const NOUNS: Readonly<Record<string, Noun>> = { project: 'project', test: 'check', tests: 'check', area: 'area' };

/** The rows of projects on which rights are decided. */
@Injectable()
export class ProjectRows implements ProjectDirectory {
  constructor(private readonly findings: ProjectFindings) {}

  async idOf({ route, params, query }: RoutedRequest, views: Views, request: Carrier): Promise<string | null> {
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

  get(views: Views, id: string): Promise<ProjectRow | null> {
    return views.get(projectView, id);
  }

  async read(views: Views, id: string, withFacts: boolean): Promise<ReadProject | null> {
    if (withFacts) return this.findings.known(views, id);
    const row = await views.get(projectView, id);
    return row === null ? null : { row };
  }

  many(views: Views, ids: readonly string[]): Promise<ReadonlyMap<string, ProjectRow>> {
    return views.many(projectView, ids, 'as before');
  }

  serviceAccounts(views: Views, projectId: string | null): ReturnType<typeof serviceAccountsIn> {
    return serviceAccountsIn(views, projectId);
  }

  signOut(context: CommandContext, { id, projectId }: NonNullable<Principal['service']>, tokenId: string): RevokeServiceToken {
    return new RevokeServiceToken(context, { manager: { owner: projectId, by: null }, serviceAccountId: id, tokenId });
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
