import { isObject } from '../kernel/is-object.ts';
import { StartRefused } from '../kernel/start-refused.ts';

/** An object of a source, nothing of which is validated. */
export type SourceObject = Readonly<Record<string, unknown>>;

export const textIn = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');

/** Null when it is no number; exports in CSV write numbers as text. */
export function numberIn(value: unknown): number | null {
  const text = textIn(value).trim();
  return /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : null;
}

/** Yes in every spelling that exports have. */
export const isYes = (value: unknown): boolean => value === true || /^(?:true|yes|1|on|enabled)$/i.test(textIn(value));

export const objectsIn = (list: unknown): readonly SourceObject[] => (Array.isArray(list) ? list.filter(isObject) : []);

/** Reads a list of texts or of objects with a name, or one text with commas. */
export const namesIn = (given: unknown): readonly string[] =>
  (Array.isArray(given) ? given : textIn(given).split(','))
    .map((one: unknown) => textIn(isObject(one) ? one['name'] : one).trim())
    .filter((name) => name !== '');

export const objectIn = (value: unknown): SourceObject => (isObject(value) ? value : {});

export function parsedSource(text: string, name: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    throw new StartRefused(`${name}: is not valid JSON: ${error instanceof Error ? error.message : ''}`);
  }
}
