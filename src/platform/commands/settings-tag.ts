import { hash } from 'node:crypto';

export const SETTINGS_TAG_LENGTH = 22;

/**
 * The part of an entity tag that `If-Match` compares (docs/spec/decisions.md#G17): a hash of the settings of one object, without verdicts, measurements
 * and the clock. It is the same from a row of a view, which a GET shows, and from the state that a command decides on, so that no revision has to be kept.
 */
export const settingsTag = (thing: string, id: string, settings: unknown): string =>
  hash('sha256', JSON.stringify([thing, id, sorted(settings)]), 'base64url').slice(0, SETTINGS_TAG_LENGTH);

/** Sorts the members, which in a stored document may come in another order. A copy takes half the time of a function that `JSON.stringify` calls. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(value).sort()) copy[name] = sorted(value[name as keyof typeof value]);
  return copy;
}
