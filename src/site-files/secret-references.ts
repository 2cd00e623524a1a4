import type { AreaOptionsInput, CheckOptionsInput } from '../projects/checks/check.api.ts';
import { InvalidInput, type InputProblem } from '../kernel/errors.ts';
import { MASK } from '../kernel/text.ts';
import type { SiteFile } from './site-file.dto.ts';

const REFERENCE = /\$\{((?:env|file):[^}]+)\}/g;

/** The value of a reference such as `env:NAME` or `file:PATH`; null: it has none. */
export type SecretValues = (reference: string) => string | null;

export interface ResolvedSecrets {
  /** The values of the references. */
  readonly values: readonly string[];
  /** Paths of the fields without a value, whose saved secrets stay. */
  readonly kept: readonly string[];
}

/** A secret field of a site file. */
interface SecretField {
  readonly path: string;
  readonly text: string;
  /** A line break would begin another header. */
  readonly isOneLine: boolean;
  /** Leaves the field out when the text is undefined. */
  readonly set: (text: string | undefined) => void;
}

/**
 * Puts the values of references into secret fields; in any other field the same characters are text. Names each reference without a value, unless
 * `keep` leaves the saved secrets of such fields as they are.
 */
export function resolveSecrets(site: SiteFile, valueOf: SecretValues, { keep = false } = {}): ResolvedSecrets {
  const problems: InputProblem[] = [];
  const [values, kept]: [string[], string[]] = [[], []];
  for (const { path, text, isOneLine, set } of secretFields(site)) {
    if (text === MASK || text.includes(`: ${MASK}`)) {
      problems.push({ param: path, message: `${path}: is the mask of a secret; give the secret, or a reference such as \${env:NAME}` });
      continue;
    }
    let isKept = false;
    const resolved = text.replaceAll(REFERENCE, (reference, name: string) => {
      const value = valueOf(name);
      if (value === null && keep) isKept = true;
      else if (value === null) problems.push({ param: path, message: `${path}: ${reference} has no value` });
      else if (isOneLine && /[\r\n]/.test(value)) problems.push({ param: path, message: `${path}: ${reference} has more than one line` });
      else values.push(value);
      return value ?? '';
    });
    if (isKept) kept.push(path);
    set(isKept ? undefined : resolved);
  }
  if (problems.length > 0) throw new InvalidInput(problems);
  return { values: values.filter((value) => value !== ''), kept };
}

/** The references in the secret fields, each once. */
export const referencesIn = (site: SiteFile): readonly string[] => [
  ...new Set([...secretFields(site)].flatMap(({ text }) => [...text.matchAll(REFERENCE)].map(([, name = '']) => name))),
];

function* secretFields(site: SiteFile): Generator<SecretField> {
  for (const [index, group] of site.groups.entries()) {
    const path = `groups.${String(index)}`;
    const { httpAuth, form } = group;
    if (typeof httpAuth?.password === 'string')
      yield { path: `${path}.httpAuth.password`, text: httpAuth.password, isOneLine: true, set: setter(httpAuth, 'password') };
    if (typeof form?.params === 'string')
      yield { path: `${path}.form.params`, text: form.params, isOneLine: true, set: setter(form, 'params') };
    yield* ofOptions(group.options, path);
    for (const [place, check] of group.checks.entries()) yield* ofOptions(check.options, `${path}.checks.${String(place)}`);
  }
}

function* ofOptions(options: AreaOptionsInput | CheckOptionsInput | undefined, path: string): Generator<SecretField> {
  if (typeof options?.w === 'string') yield { path: `${path}.options.w`, text: options.w, isOneLine: true, set: setter(options, 'w') };
  if (options !== undefined && 'body' in options && typeof options.body === 'string')
    yield { path: `${path}.options.body`, text: options.body, isOneLine: false, set: setter(options, 'body') };
}

const setter =
  <Name extends string>(of: { [Key in Name]?: string | null }, name: Name) =>
  (text: string | undefined): void => {
    if (text === undefined) Reflect.deleteProperty(of, name);
    else Object.assign(of, { [name]: text });
  };
