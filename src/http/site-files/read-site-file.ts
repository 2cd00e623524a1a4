import { InvalidInput } from '../../kernel/errors.ts';
import { isObject, readInput } from '../validation/input.ts';
import { SiteFile } from './site-file.dto.ts';
import { readYaml, type YamlDocument, type YamlProblem } from './yaml-text.ts';

export interface ReadSite {
  readonly site: SiteFile;
  readonly document: YamlDocument;
}

export interface ReadSites {
  readonly sites: readonly ReadSite[];
  readonly problems: readonly YamlProblem[];
}

/** Reads the sites of a file, one each document, and names the place of everything that does not fit. */
export function readSiteFile(text: string): ReadSites {
  const { documents, problems: ofYaml } = readYaml(text);
  const sites: ReadSite[] = [];
  const problems = [...ofYaml];
  for (const document of documents) {
    if (!isObject(document.value)) {
      problems.push({ ...document.placeOf(''), message: 'a site must be a mapping of fields to values' });
      continue;
    }
    try {
      const site = readInput(SiteFile, document.value);
      const twice = namedTwice(site);
      problems.push(...twice.map(({ path, message }) => ({ ...document.placeOf(path), message })));
      if (twice.length === 0) sites.push({ site, document });
    } catch (error) {
      problems.push(...placed(error, document, ''));
    }
  }
  if (documents.length === 0 && problems.length === 0) problems.push({ line: 1, column: 1, message: 'the file has no site' });
  return { sites, problems };
}

/** The problems of a refusal at their places. `above`: the path of the object that was refused, with a dot at its end. */
export function placed(error: unknown, { placeOf }: YamlDocument, above: string): readonly YamlProblem[] {
  if (!(error instanceof InvalidInput)) throw error;
  return error.problems.map(({ param = '', message }) => ({
    ...placeOf(`${above}${param}`),
    message: param === '' ? message : `${above}${message}`,
  }));
}

interface Named {
  readonly path: string;
  readonly names: readonly string[];
}

/** Names and keys of groups, and of checks, say which is which. */
function namedTwice({ groups }: SiteFile): readonly { readonly path: string; readonly message: string }[] {
  const named = ({ key, name }: { readonly key?: string; readonly name: string }): readonly string[] => [
    `name ${name}`,
    ...(key === undefined ? [] : [`key ${key}`]),
  ];
  const ofGroups = groups.map((group, index): Named => ({ path: `groups.${String(index)}`, names: named(group) }));
  const ofChecks = groups.flatMap(({ checks }, group) =>
    checks.map((check, index): Named => ({ path: `groups.${String(group)}.checks.${String(index)}`, names: named(check) })),
  );
  return [...repeated(ofGroups, 'group'), ...repeated(ofChecks, 'check')];
}

function repeated(all: readonly Named[], what: string): readonly { readonly path: string; readonly message: string }[] {
  const seen = new Set<string>();
  return all.flatMap(({ path, names }) =>
    names.flatMap((name) => {
      const isRepeated = seen.has(name);
      seen.add(name);
      return isRepeated ? [{ path, message: `${path}: another ${what} has the ${name}` }] : [];
    }),
  );
}
