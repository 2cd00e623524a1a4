import { isObject } from '../kernel/is-object.ts';
import { isStatusPage, type ReadSite, readSite, type ReadStatusPage, readStatusPage } from './read-site-file.ts';
import { templatesIn } from './templates.ts';
import { type ReadYaml, readYaml, type TextPlace, type YamlDocument } from './yaml-text.ts';

export interface GivenFile {
  readonly name: string;
  readonly text: string;
}

export interface FileProblem extends TextPlace {
  readonly file: string;
  readonly message: string;
}

interface FromFile {
  readonly file: string;
  /** The place of the file among those that are given. */
  readonly fileIndex: number;
}

export interface GivenSite extends ReadSite, FromFile {}
export interface GivenStatusPage extends ReadStatusPage, FromFile {}

export interface ParsedFile extends ReadYaml {
  readonly file: string;
}

export interface ReadSites {
  readonly sites: readonly GivenSite[];
  readonly pages: readonly GivenStatusPage[];
  readonly problems: readonly FileProblem[];
}

export const readSiteFiles = (files: readonly GivenFile[]): ReadSites =>
  sitesInFiles(files.map(({ name, text }) => ({ file: name, ...readYaml(text) })));

/** The sites and status pages of all files, one each document; no key and no slug names two. Templates of one file serve the others. `read`: reads a site. */
export function sitesInFiles(parsed: readonly ParsedFile[], read: typeof readSite = readSite): ReadSites {
  const [sites, pages]: [GivenSite[], GivenStatusPage[]] = [[], []];
  const problems: FileProblem[] = [];
  const templates = new Map(parsed.flatMap(({ documents }) => documents.flatMap(({ value }) => namedTemplates(value))));
  const owners = new Map<string, string>();
  const own = (name: string, file: string, { placeOf }: YamlDocument, path: string): void => {
    const owner = owners.get(name);
    if (owner !== undefined) problems.push({ file, ...placeOf(path), message: `${name} is in ${owner}, too` });
    owners.set(name, owner ?? file);
  };
  for (const [fileIndex, { file, documents, problems: ofYaml }] of parsed.entries()) {
    problems.push(...ofYaml.map((problem) => ({ file, ...problem })));
    if (documents.length === 0 && ofYaml.length === 0) problems.push({ file, line: 1, column: 1, message: 'the file has no site' });
    for (const document of documents.filter(({ value }) => !isTemplatesAlone(value))) {
      const { value } = document;
      const found = isStatusPage(value) ? readStatusPage(document, value) : read(document, templates);
      if ('site' in found) {
        own(`key: ${found.site.key}`, file, document, 'key');
        sites.push({ file, fileIndex, ...found });
      } else if ('page' in found) {
        own(`statusPage.slug: ${found.page.slug}`, file, document, 'statusPage.slug');
        pages.push({ file, fileIndex, ...found });
      } else problems.push(...found.map((problem) => ({ file, ...problem })));
    }
  }
  return { sites, pages, problems };
}

const namedTemplates = (document: unknown): readonly (readonly [string, Readonly<Record<string, unknown>>])[] =>
  Object.entries(templatesIn(document) ?? {}).flatMap(([name, template]) => (isObject(template) ? [[name, template] as const] : []));

/** A site that needs nothing of other documents. */
export const standsAlone = ({ value }: YamlDocument): boolean =>
  isObject(value) && value['extends'] === undefined && !isStatusPage(value) && !isTemplatesAlone(value);

/** A document that gives templates and is no site. */
const isTemplatesAlone = (document: unknown): boolean =>
  templatesIn(document) !== null && isObject(document) && Object.keys(document).length === 1;

export const inOneLine = ({ file, line, column, message }: FileProblem): string => `${file}:${String(line)}:${String(column)} ${message}`;
