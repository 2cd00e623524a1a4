import type { Guard } from '../../security/ssrf-guard/guard.ts';
import type { Read } from './channel.ts';

type Given = Readonly<Record<string, unknown>>;

/** The names that a channel takes, and nothing else. */
export function readFields(given: Given, fields: Readonly<Record<string, (value: unknown) => string | null>>): Read {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(fields, name));
  if (unknown !== undefined) return { ok: false, reason: `${unknown.slice(0, 40)}: is not a known field` };
  const problems = Object.entries(fields).flatMap(([name, problem]) => {
    const words = problem(given[name]);
    return words === null ? [] : [`${name}: ${words}`];
  });
  if (problems.length > 0) return { ok: false, reason: problems.join('; ') };
  return { ok: true, settings: Object.fromEntries(Object.keys(fields).map((name) => [name, String(given[name])])) };
}

/** http and https only, and nothing that the service does not write to (docs/spec/decisions.md#N5, #S1). */
export const httpUrl =
  (guard: Pick<Guard, 'readUrl'>) =>
  (value: unknown): string | null => {
    if (typeof value !== 'string' || value === '') return 'must be an http or https address';
    const read = guard.readUrl(value);
    return read.ok ? null : read.reason;
  };

/** A key whose form is known. */
export const key =
  (pattern: RegExp, words: string) =>
  (value: unknown): string | null =>
    typeof value === 'string' && pattern.test(value) ? null : `must be ${words}`;

/** A key as its service hands it out: what it looks like is the service's to say, and it will. */
export const plainKey = (what: string): ((value: unknown) => string | null) => key(/^[\x21-\x7e]{1,256}$/, `${what}, without white space`);
