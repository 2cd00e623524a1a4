import {
  type FileProblem,
  type GivenFile,
  type GivenSite,
  type GivenStatusPage,
  sitesInFiles,
} from '../../http/site-files/read-site-files.ts';
import type { SiteFile } from '../../http/site-files/site-file.dto.ts';
import { OBJECT_ID } from '../../kernel/ids.ts';
import { SiteBuilder } from './built-site.ts';
import { parsedFiles } from './parsed-files.ts';

export interface ValidSites {
  readonly sites: readonly GivenSite[];
  readonly pages: readonly GivenStatusPage[];
  readonly problems: readonly FileProblem[];
}

/** The sites and status pages of files, with everything that the service would refuse of them. */
export async function validSites(files: readonly GivenFile[]): Promise<ValidSites> {
  const { sites, pages, problems: ofFiles } = sitesInFiles(await parsedFiles(files));
  const builder = new SiteBuilder();
  const problems: FileProblem[] = [...ofFiles];
  try {
    for (const site of sites) {
      const { problems: found } = await builder.build(site);
      problems.push(...found.map((problem) => ({ file: site.file, ...problem })));
    }
  } finally {
    await builder.close();
  }
  const byKey = new Map(sites.map(({ site }) => [site.key, site]));
  return { sites, pages, problems: [...problems, ...pages.flatMap((page) => unknownObjects(page, byKey))] };
}

/** What items name of sites in the files, and what these do not have. */
function unknownObjects({ file, page, document }: GivenStatusPage, sites: ReadonlyMap<string, SiteFile>): readonly FileProblem[] {
  return page.groups.flatMap(({ items }, place) =>
    items.flatMap(({ project, group, check }, index) => {
      const site = sites.get(project);
      if (site === undefined || site.addPresetChecks === true) return [];
      const path = `statusPage.groups.${String(place)}.items.${String(index)}`;
      const checks = site.groups.flatMap((one) => one.checks);
      const lacks = (objects: readonly { readonly key?: string; readonly name: string }[], wanted: string | undefined): boolean =>
        wanted !== undefined && !OBJECT_ID.test(wanted) && !objects.some(({ key, name }) => key === wanted || name === wanted);
      return [
        ...(lacks(site.groups, group) ? [{ field: 'group', what: group }] : []),
        ...(lacks(checks, check) ? [{ field: 'check', what: check }] : []),
      ].map(({ field, what = '' }) => ({
        ...{ file, ...document.placeOf(`${path}.${field}`) },
        message: `${path}.${field}: the site ${project} has no ${field} with the key or name "${what}"`,
      }));
    }),
  );
}
