import { readSiteFile, type ReadSite } from '../../http/site-files/read-site-file.ts';
import type { TextPlace } from '../../http/site-files/yaml-text.ts';
import type { GivenFile } from './given-files.ts';

export interface FileProblem extends TextPlace {
  readonly file: string;
  readonly message: string;
}

export interface GivenSite extends ReadSite {
  readonly file: string;
}

/** The sites of all files; no key names two. */
export function readGivenSites(files: readonly GivenFile[]): {
  readonly sites: readonly GivenSite[];
  readonly problems: readonly FileProblem[];
} {
  const sites: GivenSite[] = [];
  const problems: FileProblem[] = [];
  const owners = new Map<string, string>();
  for (const { name: file, text } of files) {
    const read = readSiteFile(text);
    problems.push(...read.problems.map((problem) => ({ file, ...problem })));
    for (const one of read.sites) {
      const { key } = one.site;
      const owner = owners.get(key);
      if (owner !== undefined) problems.push({ file, ...one.document.placeOf('key'), message: `key: ${key} is in ${owner}, too` });
      owners.set(key, owner ?? file);
      sites.push({ file, ...one });
    }
  }
  return { sites, problems };
}

export const inOneLine = ({ file, line, column, message }: FileProblem): string => `${file}:${String(line)}:${String(column)} ${message}`;
