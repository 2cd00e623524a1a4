import type { SsrfGuard } from '../../platform/security/ssrf-guard/ssrf-guard.ts';
import type { ParsedSettings } from './channel.ts';

/** Answers why a value is invalid; null when it is valid. */
type FieldValidator = (value: unknown) => string | null;

/** Accepts exactly the named fields. */
export function parseFields(given: Readonly<Record<string, unknown>>, fields: Readonly<Record<string, FieldValidator>>): ParsedSettings {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(fields, name));
  if (unknown !== undefined) return { ok: false, reason: `${unknown.slice(0, 40)}: is not a known field` };
  const problems = Object.entries(fields).flatMap(([name, validate]) => {
    const reason = validate(given[name]);
    return reason === null ? [] : [`${name}: ${reason}`];
  });
  if (problems.length > 0) return { ok: false, reason: problems.join('; ') };
  return { ok: true, settings: Object.fromEntries(Object.keys(fields).map((name) => [name, String(given[name])])) };
}

/** An http or https address that the SSRF guard admits (docs/spec/decisions.md#N5, #S1). */
export const urlField =
  (guard: Pick<SsrfGuard, 'readUrl'>): FieldValidator =>
  (value) => {
    if (typeof value !== 'string' || value === '') return 'must be an http or https address';
    const read = guard.readUrl(value);
    return read.ok ? null : read.reason;
  };

export const patternField =
  (pattern: RegExp, words: string): FieldValidator =>
  (value) =>
    typeof value === 'string' && pattern.test(value) ? null : `must be ${words}`;

/** A token as its service issues it; the service itself decides whether it is valid. */
export const tokenField = (what: string): FieldValidator => patternField(/^[\x21-\x7e]{1,256}$/, `${what}, without white space`);
