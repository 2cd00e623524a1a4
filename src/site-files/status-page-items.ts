import { Injectable } from '@nestjs/common';
import type { StatusItem } from '../status-pages/status-page.settings.ts';
import { projectStream } from '../kernel/stream-names.ts';
import { areaView } from '../projects/areas/area.view.ts';
import { checkView } from '../projects/checks/check.view.ts';
import { projectView } from '../projects/project.view.ts';
import { readableOf, ViewsAt } from '../platform/read-models/views/views.ts';
import type { Principal } from '../platform/http/context/principal.ts';
import { SiteFinder } from './site-finder.ts';
import type { StatusPageFileItem } from './status-page-file.dto.ts';

/** What an item names, as a file spells it. */
export type ItemReference = Omit<StatusPageFileItem, 'name'>;

interface Named {
  readonly id: string;
  readonly name: string;
  readonly key: string | null;
}

interface ObjectsOfProject {
  readonly group: readonly Named[];
  readonly check: readonly Named[];
}

/** Groups and checks of projects, each project read once. */
type Objects = (projectId: string) => Promise<ObjectsOfProject>;

/** Finds what the items of a page name by keys and names, and spells items by them. */
@Injectable()
export class StatusPageItems {
  constructor(
    private readonly views: ViewsAt,
    private readonly finder: SiteFinder,
  ) {}

  /** Each item with its id; null where the project, the group or the check does not exist, or several have the name. */
  async found(caller: Principal, items: readonly StatusPageFileItem[]): Promise<readonly (StatusItem | null)[]> {
    const projects = await this.finder.named(caller, [...new Set(items.map(({ project }) => project))]);
    const objects = this.objects();
    const found = items.map(async ({ name, project, group, check }): Promise<StatusItem | null> => {
      const projectId = projects.get(project)?.id;
      if (projectId === undefined) return null;
      if (group === undefined && check === undefined) return { name, kind: 'project', id: projectId, projectId };
      const kind = group === undefined ? 'check' : 'group';
      const id = idOf((await objects(projectId))[kind], group ?? check ?? '');
      return id === null ? null : { name, kind, id, projectId };
    });
    return Promise.all(found);
  }

  /** As `found` finds them again: by key, else by a name that one alone has, else by id. */
  async spelled(items: readonly StatusItem[]): Promise<readonly ItemReference[]> {
    const projects = await this.views.now().many(projectView, [...new Set(items.map(({ projectId }) => projectId))], 'as before');
    const objects = this.objects();
    const spelled = items.map(async ({ kind, id, projectId }): Promise<ItemReference> => {
      const project = projects.get(projectId)?.settings.key ?? projectId;
      return kind === 'project' ? { project } : { project, [kind]: spellingOf((await objects(projectId))[kind], id) };
    });
    return Promise.all(spelled);
  }

  private objects(): Objects {
    const known = new Map<string, Promise<ObjectsOfProject>>();
    return (projectId) => {
      const objects = known.get(projectId) ?? this.objectsOf(projectId);
      known.set(projectId, objects);
      return objects;
    };
  }

  private async objectsOf(projectId: string): Promise<ObjectsOfProject> {
    const query = { scope: projectStream(projectId), parked: 'as before' } as const;
    const views = this.views.now();
    const [groups, checks] = await Promise.all([views.list(areaView, query), views.list(checkView, query)]);
    return { group: readableOf(groups).rows.map(namedOf), check: readableOf(checks).rows.map(namedOf) };
  }
}

const namedOf = ({ id, settings }: { readonly id: string; readonly settings: Partial<Omit<Named, 'id'>> }): Named => ({
  id,
  name: settings.name ?? '',
  key: settings.key ?? null,
});

function idOf(objects: readonly Named[], wanted: string): string | null {
  const byKey = objects.find(({ key, id }) => key === wanted || id === wanted);
  if (byKey !== undefined) return byKey.id;
  const [byName, another] = objects.filter(({ name }) => name === wanted);
  return byName === undefined || another !== undefined ? null : byName.id;
}

function spellingOf(objects: readonly Named[], wanted: string): string {
  const { key = null, name = '' } = objects.find(({ id }) => id === wanted) ?? {};
  if (key !== null) return key;
  return name !== '' && idOf(objects, name) === wanted ? name : wanted;
}
