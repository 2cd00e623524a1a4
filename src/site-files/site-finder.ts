import { Injectable } from '@nestjs/common';
import { DomainError } from '../kernel/errors.ts';
import { OBJECT_ID } from '../kernel/ids.ts';
import { readableOf, ViewsAt } from '../platform/read-models/views/views.ts';
import { type ProjectRow, projectView } from '../projects/project.view.ts';
import type { Principal } from '../platform/http/context/principal.ts';
import { readableBy } from '../projects/project-list.ts';
import { accessOf, mayUse } from '../accounts/rights/project-rights.ts';
import { coversProject } from '../accounts/rights/scopes.ts';
import type { SiteFile } from './site-file.dto.ts';

export class SiteAmbiguous extends DomainError {
  readonly code = 'SITE_AMBIGUOUS';
}

/** Finds the projects of site files among those that the caller may read. */
@Injectable()
export class SiteFinder {
  constructor(private readonly views: ViewsAt) {}

  /** The project of each site, in their order: that with its key or, without one, with this id; else the only one without a key that has its title. Null: there is none. */
  async find(caller: Principal, sites: readonly SiteFile[]): Promise<readonly (ProjectRow | null | SiteAmbiguous)[]> {
    const titles = sites.map(({ title, url }) => (title ?? new URL(url).host).toLowerCase());
    const { memberId, ids } = readableBy(caller);
    const found = await this.views.now().list(projectView, {
      ...(ids !== undefined && { keys: ids }),
      where: memberId === null ? {} : { members: { has: memberId } },
      anyOf: [{ siteKey: { in: sites.map(({ key }) => key) } }, { title: { in: [...new Set(titles)] } }],
      parked: 'as before',
    });
    const { rows } = readableOf(found);
    const byId = await this.byId(
      caller,
      sites.map(({ key }) => key),
    );
    const [byKey, byTitle] = [new Map<string, ProjectRow[]>(), new Map<string, ProjectRow[]>()];
    for (const row of rows) {
      const { key = null, title } = row.settings;
      if (key !== null) add(byKey, key, row);
      else add(byTitle, title.toLowerCase(), row);
    }
    return sites.map(
      ({ key }, index) => oneOf(byKey.get(key), `key: ${key}`) ?? byId.get(key) ?? oneOf(byTitle.get(titles[index] ?? ''), 'title') ?? null,
    );
  }

  /** The projects with these keys or, without one, with these ids; where several have the key, none. */
  async named(caller: Principal, keys: readonly string[]): Promise<ReadonlyMap<string, ProjectRow>> {
    const { memberId, ids } = readableBy(caller);
    const found = await this.views.now().list(projectView, {
      ...(ids !== undefined && { keys: ids }),
      where: { siteKey: { in: keys }, ...(memberId === null ? {} : { members: { has: memberId } }) },
      parked: 'as before',
    });
    const byKey = new Map<string, ProjectRow[]>();
    for (const row of readableOf(found).rows) add(byKey, row.settings.key ?? '', row);
    const only = [...byKey].flatMap(([key, [row, other]]) => (row === undefined || other !== undefined ? [] : [[key, row] as const]));
    return new Map([...(await this.byId(caller, keys)), ...only]);
  }

  /** A project without a key may be named by its id. */
  private async byId(caller: Principal, keys: readonly string[]): Promise<ReadonlyMap<string, ProjectRow>> {
    const ids = keys.filter((key) => OBJECT_ID.test(key) && coversProject(caller, key));
    const found = ids.length === 0 ? new Map<string, ProjectRow>() : await this.views.now().many(projectView, ids, 'as before');
    return new Map([...found].filter(([id, row]) => !row.settings.key && mayUse(accessOf(id, row, caller), 'read', caller)));
  }
}

const add = (rows: Map<string, ProjectRow[]>, name: string, row: ProjectRow): void => {
  rows.set(name, [...(rows.get(name) ?? []), row]);
};

function oneOf(rows: readonly ProjectRow[] | undefined, what: string): ProjectRow | SiteAmbiguous | null {
  const [first, second] = rows ?? [];
  if (first === undefined) return null;
  return second === undefined
    ? first
    : new SiteAmbiguous(`${what} is that of several projects: ${(rows ?? []).map(({ id }) => id).join(', ')}. Give all but one another.`);
}
