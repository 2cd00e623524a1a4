import { isObject } from '../validation/input.ts';
import { type ReadSite, readSite } from './read-site-file.ts';
import { templatesIn } from './templates.ts';
import { type ReadYaml, readYaml, type TextPlace } from './yaml-text.ts';

export interface GivenFile {
  readonly name: string;
  readonly text: string;
}

export interface FileProblem extends TextPlace {
  readonly file: string;
  readonly message: string;
}

export interface GivenSite extends ReadSite {
  readonly file: string;
  /** The place of the file among those that are given. */
  readonly fileIndex: number;
}

export interface ParsedFile extends ReadYaml {
  readonly file: string;
}

export interface ReadSites {
  readonly sites: readonly GivenSite[];
  readonly problems: readonly FileProblem[];
}

export const readSiteFiles = (files: readonly GivenFile[]): ReadSites =>
  sitesOf(files.map(({ name, text }) => ({ file: name, ...readYaml(text) })));

/** The sites of all files, one each document; no key names two. Templates of one file serve the others. */
export function sitesOf(parsed: readonly ParsedFile[]): ReadSites {
  const sites: GivenSite[] = [];
  const problems: FileProblem[] = [];
  const templates = new Map(parsed.flatMap(({ documents }) => documents.flatMap(({ value }) => namedTemplates(value))));
  const owners = new Map<string, string>();
  for (const [fileIndex, { file, documents, problems: ofYaml }] of parsed.entries()) {
    problems.push(...ofYaml.map((problem) => ({ file, ...problem })));
    if (documents.length === 0 && ofYaml.length === 0) problems.push({ file, line: 1, column: 1, message: 'the file has no site' });
    for (const document of documents.filter(({ value }) => !isTemplatesAlone(value))) {
      const read = readSite(document, templates);
      if (!('site' in read)) {
        problems.push(...read.map((problem) => ({ file, ...problem })));
        continue;
      }
      const { key } = read.site;
      const owner = owners.get(key);
      if (owner !== undefined) problems.push({ file, ...document.placeOf('key'), message: `key: ${key} is in ${owner}, too` });
      owners.set(key, owner ?? file);
      sites.push({ file, fileIndex, ...read });
    }
  }
  return { sites, problems };
}

const namedTemplates = (document: unknown): readonly (readonly [string, Readonly<Record<string, unknown>>])[] =>
  Object.entries(templatesIn(document) ?? {}).flatMap(([name, template]) => (isObject(template) ? [[name, template] as const] : []));

/** A document that gives templates and is no site. */
const isTemplatesAlone = (document: unknown): boolean =>
  templatesIn(document) !== null && isObject(document) && Object.keys(document).length === 1;

export const inOneLine = ({ file, line, column, message }: FileProblem): string => `${file}:${String(line)}:${String(column)} ${message}`;
