/** A change of a value. The event holds both, so that history needs no earlier event. */
export interface Change<Value> {
  readonly from: Value;
  readonly to: Value;
}

/** A change of a value that may be large. The former value is left out where it is: it is that of the event before. */
export interface ChangeOfLarge<Value> extends Omit<Change<Value>, 'from'> {
  /** Absent when it is large: it is the value of the event before. */
  readonly from?: Value;
}

/** In characters of JSON. The log keeps every event for ever, and a large value would stand in it twice. */
const LARGEST_FORMER = 2_048;

/** The member `from` of a `ChangeOfLarge`, unless it is large. */
export const formerUnlessLarge = (from: unknown): { readonly from?: unknown } =>
  JSON.stringify(from).length > LARGEST_FORMER ? {} : { from };

/** Deep equality of plain data, with which deciders detect a change. */
export function same(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null || Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && same(a[key as keyof typeof a], b[key as keyof typeof b]));
}

/** The settings that differ, each with the type of its event. */
export function changedSettings<Settings extends object, Type extends string>(
  table: Readonly<Record<keyof Settings, Type>>,
  before: Settings,
  wanted: Partial<Settings>,
): readonly { readonly type: Type; readonly from: unknown; readonly to: unknown }[] {
  const names = Object.keys(table) as (keyof Settings)[];
  // An optional setting may have had no value.
  const former = (name: keyof Settings): unknown => before[name] ?? null;
  return names
    .filter((name) => wanted[name] !== undefined && !same(wanted[name], before[name]))
    .map((name) => ({ type: table[name], from: former(name), to: wanted[name] }));
}

/** The setting that an event type changes, by the table of `changedSettings`; null for any other type. */
export function settingOfEvent<Setting extends string>(table: Readonly<Record<Setting, string>>): (type: string) => Setting | null {
  const byEvent = new Map((Object.keys(table) as Setting[]).map((setting) => [table[setting], setting]));
  return (type) => byEvent.get(type) ?? null;
}
