import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { AreaOptionsInput, CheckOptionsInput } from '../../http/check/check.dto.ts';
import type { SiteFile } from '../../http/site-files/site-file.dto.ts';
import { InvalidInput, type InputProblem } from '../../kernel/errors.ts';

const REFERENCE = /\$\{(env|file):([^}]+)\}/g;

interface Source {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Paths are relative to its folder. */
  readonly file: string;
}

/** Puts the values of `${env:NAME}` and `${file:PATH}` into secret fields, and answers them; in any other field they are text. Names each that has no value. */
export function resolveSecrets(site: SiteFile, { env, file }: Source): readonly string[] {
  const problems: InputProblem[] = [];
  const secrets: string[] = [];
  const resolved = <Text extends string | null | undefined>(given: Text, param: string, isOneLine: boolean): Text =>
    (typeof given === 'string'
      ? given.replaceAll(REFERENCE, (reference, kind: string, name: string) => {
          const value = kind === 'env' ? (env[name] ?? null) : contentOf(resolve(dirname(file), name));
          // A header of its own would begin there.
          const problem = value === null ? 'has no value' : isOneLine && /[\r\n]/.test(value) ? 'has more than one line' : null;
          if (problem !== null) problems.push({ param, message: `${param}: ${reference} ${problem}` });
          if (value !== null) secrets.push(value);
          return value ?? '';
        })
      : given) as Text;
  const options = (of: AreaOptionsInput | CheckOptionsInput | undefined, path: string): void => {
    if (of === undefined) return;
    if (of.w !== undefined) of.w = resolved(of.w, `${path}.options.w`, true);
    if ('body' in of && of.body !== undefined) of.body = resolved(of.body, `${path}.options.body`, false);
  };
  for (const [index, group] of site.groups.entries()) {
    const path = `groups.${String(index)}`;
    if (group.httpAuth?.password !== undefined)
      group.httpAuth.password = resolved(group.httpAuth.password, `${path}.httpAuth.password`, true);
    options(group.options, path);
    for (const [place, check] of group.checks.entries()) options(check.options, `${path}.checks.${String(place)}`);
  }
  if (problems.length > 0) throw new InvalidInput(problems);
  return secrets.filter((secret) => secret !== '');
}

/** Without its last line break; null where it cannot be read. */
function contentOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch {
    return null;
  }
}
