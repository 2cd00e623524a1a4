import type { Sealed } from './event.ts';

/** Today's names of the ids in an event: a check without a name by its address, what is deleted by its id. */
export interface ObjectNames {
  check(id: string): string;
  area(id: string): string;
  user(id: number): string;
}

/** One sentence per event type; the compiler reports a missing one. */
export type Sentences<Events> = { readonly [Type in keyof Events]: (data: Events[Type], names: ObjectNames) => string };

/** A value within a sentence: quoted, truncated, and sealed values hidden. */
export function shown(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (isSealed(value)) return '(hidden)';
  const text = typeof value === 'string' ? `"${value}"` : JSON.stringify(value);
  return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}

export const isSealed = (value: unknown): value is Sealed =>
  typeof value === 'object' && value !== null && 'sealed' in value && 'subject' in value && Object.keys(value).length === 2;

export const changed = (what: string, { from, to }: { readonly from: unknown; readonly to: unknown }): string =>
  isSealed(from) || isSealed(to) ? `${what} changed` : `${what} changed from ${shown(from)} to ${shown(to)}`;

/** `1 rule`, `2 rules`. */
export const pluralized = (number: number, noun: string): string => `${String(number)} ${noun}${number === 1 ? '' : 's'}`;

/** How often checks run; `false` and `true` are words of the API. */
const PERIODS: Readonly<Record<string, string>> = { false: 'only when started', true: 'that of the site' };

export const changedPeriod = (what: string, { from, to }: { readonly from: string; readonly to: string }): string =>
  changed(what, { from: PERIODS[from] ?? from, to: PERIODS[to] ?? to });

export const switched = (what: string, on: boolean): string => `${what} switched ${on ? 'on' : 'off'}`;
