/** That a rule compares; more indicate a path that matches too much. */
export const MAX_VALUES = 10_000;

/** A value of JSON as text: a string without quotes, objects and arrays as JSON; empty if it is nested too deep to be written. */
export function jsonText(value: unknown): string {
  if (typeof value === 'string') return value;
  try {
    return JSON.stringify(value);
  } catch {
    return '';
  }
}
