import {
  type FileProblem,
  type GivenFile,
  type GivenSite,
  type GivenStatusPage,
  type ParsedFile,
  sitesInFiles,
  standsAlone,
} from '../read-site-files.ts';
import { readSite } from '../read-site-file.ts';
import type { SiteFile } from '../site-file.dto.ts';
import type { YamlDocument, YamlProblem } from '../yaml-text.ts';
import { OBJECT_ID } from '../../kernel/ids.ts';
import { SiteBuilder } from './built-site.ts';
import { parsedFiles } from './parsed-files.ts';

export interface ValidSites {
  readonly sites: readonly GivenSite[];
  readonly pages: readonly GivenStatusPage[];
  readonly problems: readonly FileProblem[];
}

/**
 * The sites and status pages of files, with everything that the service would refuse of them. `onValid` gets each site without a problem, most of them
 * while later files are still parsed; the files as a whole may have problems nevertheless, such as a key that two of them have.
 */
export async function validSites(files: readonly GivenFile[], onValid: (site: GivenSite) => void = () => undefined): Promise<ValidSites> {
  const validation = new SiteValidation(onValid);
  const parsed: ParsedFile[] = [];
  try {
    for await (const part of parsedFiles(files))
      for (const file of part) {
        await validation.readEarly(file, parsed.length);
        parsed.push(file);
      }
    const { sites, pages, problems: ofFiles } = sitesInFiles(parsed, validation.read);
    const problems: FileProblem[] = [...ofFiles];
    for (const site of sites) problems.push(...(await validation.build(site)).map((problem) => ({ file: site.file, ...problem })));
    const byKey = new Map(sites.map(({ site }) => [site.key, site]));
    return { sites, pages, problems: [...problems, ...pages.flatMap((page) => unknownObjects(page, byKey))] };
  } finally {
    await validation.close();
  }
}

/** Reads and builds each site once: before all files are parsed where it extends nothing, because templates may be in any of them. */
class SiteValidation {
  private readonly builder = new SiteBuilder();
  private readonly known = new Map<YamlDocument, ReturnType<typeof readSite>>();
  private readonly problems = new Map<YamlDocument, readonly YamlProblem[]>();

  constructor(private readonly onValid: (site: GivenSite) => void) {}

  async readEarly({ file, documents }: ParsedFile, fileIndex: number): Promise<void> {
    for (const document of documents.filter(standsAlone)) {
      const read = this.read(document, new Map());
      if ('site' in read) await this.build({ file, fileIndex, ...read });
    }
  }

  readonly read: typeof readSite = (document, templates) => {
    const read = this.known.get(document) ?? readSite(document, templates);
    this.known.set(document, read);
    return read;
  };

  async build(site: GivenSite): Promise<readonly YamlProblem[]> {
    const known = this.problems.get(site.document);
    if (known !== undefined) return known;
    const { problems } = await this.builder.build(site);
    this.problems.set(site.document, problems);
    if (problems.length === 0) this.onValid(site);
    return problems;
  }

  close(): Promise<void> {
    return this.builder.close();
  }
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
