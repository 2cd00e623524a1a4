import { availableParallelism } from 'node:os';
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
import { placedLater, readYaml, type YamlDocument, type YamlProblem } from '../yaml-text.ts';
import { OBJECT_ID } from '../../kernel/ids.ts';
import { SiteBuilder } from './built-site.ts';
import { WorkerPool } from '../../checker/judging/worker-pool.ts';
import { StartRefused } from '../../kernel/start-refused.ts';
import type { YamlValues } from './yaml-worker.ts';

/** Characters that one thread parses sooner than others start. */
const FEW = 200_000;
/** Characters of one task: enough that handing it over does not count. */
const PART = 64_000;
const MAX_THREADS = 4;
const TIMEOUT_MS = 60_000;

/** Parses files in their order, a part after the other, and many of them on several threads: parsing YAML is most of the time of reading them. */
async function* parsedFiles(
  files: readonly GivenFile[],
  entry: URL = new URL('./yaml-worker.js', import.meta.url),
): AsyncGenerator<readonly ParsedFile[]> {
  const size = Math.min(availableParallelism(), MAX_THREADS);
  const parts = partsOf(files);
  if (size === 1 || files.reduce((sum, { text }) => sum + text.length, 0) < FEW) {
    for (const part of parts) yield part.map(({ name, text }) => ({ file: name, ...readYaml(text) }));
    return;
  }
  const pool = new WorkerPool({ entry, size, maxQueue: Infinity, maxWaitMs: Infinity, limits: { maxYoungGenerationSizeMb: 64 } });
  try {
    const running = parts.map((part) => parsedPart(pool, part));
    // The first failure ends the iteration, which then does not come to the others.
    for (const part of running) part.catch(() => undefined);
    for (const part of running) yield await part;
  } finally {
    await pool.close();
  }
}

async function parsedPart(pool: WorkerPool, part: readonly GivenFile[]): Promise<readonly ParsedFile[]> {
  let read: readonly YamlValues[] = [];
  const onReport = (report: unknown): undefined => {
    // The worker of this entry sends nothing else.
    read = report as readonly YamlValues[];
    return undefined;
  };
  const result = await pool.run(
    part.map(({ text }) => text),
    TIMEOUT_MS,
    onReport,
  );
  if (result !== 'done')
    throw new StartRefused(`${part[0]?.name ?? ''} and the files after it: reading them takes too much time or memory`);
  return part.map(({ name, text }, index): ParsedFile => {
    const { values, problems } = read[index] ?? { values: [], problems: [] };
    return { file: name, documents: placedLater(text, values), problems };
  });
}

function partsOf(files: readonly GivenFile[]): readonly (readonly GivenFile[])[] {
  const parts: GivenFile[][] = [];
  let left = 0;
  for (const file of files) {
    if (left <= 0) {
      parts.push([]);
      left = PART;
    }
    parts.at(-1)?.push(file);
    left -= file.text.length;
  }
  return parts;
}

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
        file,
        ...document.placeOf(`${path}.${field}`),
        message: `${path}.${field}: the site ${project} has no ${field} with the key or name "${what}"`,
      }));
    }),
  );
}
