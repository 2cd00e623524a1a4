import { InvalidInput } from '../kernel/errors.ts';
import { isObject } from '../kernel/is-object.ts';
import { readInput } from '../platform/http/validation/input.ts';
import { SiteFile } from './site-file.dto.ts';
import { StatusPageDocument, type StatusPageFile } from './status-page-file.dto.ts';
import { extended, TemplateProblem, type Templates } from './templates.ts';
import type { YamlDocument, YamlProblem } from './yaml-text.ts';

export interface ReadSite {
  readonly site: SiteFile;
  readonly document: YamlDocument;
  /** Its fields as they are written, with what it extends. */
  readonly value: Readonly<Record<string, unknown>>;
}

/** Reads the site of a document, and names the place of everything that does not fit. */
export function readSite(document: YamlDocument, templates: Templates): ReadSite | readonly YamlProblem[] {
  if (!isObject(document.value)) return [{ ...document.placeOf(''), message: 'a site must be a mapping of fields to values' }];
  try {
    const value = extended(document.value, templates);
    const site = readInput(SiteFile, value);
    const twice = namedTwice(site);
    return twice.length === 0 ? { site, document, value } : twice.map(({ path, message }) => ({ ...document.placeOf(path), message }));
  } catch (error) {
    if (error instanceof TemplateProblem) return [{ ...document.placeOf('extends'), message: `extends: ${error.message}` }];
    return placed(error, document, '');
  }
}

export interface ReadStatusPage {
  readonly page: StatusPageFile;
  readonly document: YamlDocument;
  readonly value: Readonly<Record<string, unknown>>;
}

export const isStatusPage = (value: unknown): value is Readonly<Record<string, unknown>> =>
  isObject(value) && Object.hasOwn(value, 'statusPage');

/** The same of a document with a status page. */
export function readStatusPage(document: YamlDocument, value: Readonly<Record<string, unknown>>): ReadStatusPage | readonly YamlProblem[] {
  try {
    const { statusPage: page } = readInput(StatusPageDocument, value);
    const problems = page.groups.flatMap(({ items }, group) =>
      items.flatMap((item, index) =>
        item.group === undefined || item.check === undefined
          ? []
          : [
              {
                path: `statusPage.groups.${String(group)}.items.${String(index)}`,
                message: 'names a group and a check; one of them is shown',
              },
            ],
      ),
    );
    if (problems.length === 0) return { page, document, value };
    return problems.map(({ path, message }) => ({ ...document.placeOf(path), message: `${path}: ${message}` }));
  } catch (error) {
    return placed(error, document, '');
  }
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
  readonly key: string | undefined;
  readonly name: string;
}

/** Keys, and names of objects without a key, say which is which. */
function namedTwice({ groups }: SiteFile): readonly { readonly path: string; readonly message: string }[] {
  const ofGroups = groups.map(({ key, name }, index): Named => ({ path: `groups.${String(index)}`, key, name }));
  const ofChecks = groups.flatMap(({ checks }, group) =>
    checks.map(({ key, name }, index): Named => ({ path: `groups.${String(group)}.checks.${String(index)}`, key, name })),
  );
  return [...repeated(ofGroups, 'group'), ...repeated(ofChecks, 'check')];
}

function repeated(all: readonly Named[], what: string): readonly { readonly path: string; readonly message: string }[] {
  const [keys, names] = [new Set<string>(), new Map<string, boolean>()];
  return all.flatMap(({ path, key, name }) => {
    if (key === undefined && name === '') return [{ path, message: `${path}: needs a name or a key` }];
    const isSameKey = key !== undefined && keys.has(key);
    // Several objects may have one name if each has a key.
    const hasNamesake = names.get(name) !== undefined && (key === undefined || names.get(name) === false);
    if (key !== undefined) keys.add(key);
    names.set(name, key !== undefined && names.get(name) !== false);
    return [
      ...(isSameKey ? [{ path, message: `${path}: another ${what} has the key ${key}` }] : []),
      ...(hasNamesake ? [{ path, message: `${path}: another ${what} has the name ${name}` }] : []),
    ];
  });
}
