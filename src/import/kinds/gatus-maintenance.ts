import { isObject } from '../../kernel/is-object.ts';
import type { ReadContext } from '../importer.ts';
import { type ImportedWindow, minuteOfDay, repeatedWindows, weekdaysNamed, zoneNamed } from '../maintenance-windows.ts';
import { type SourceObject, textIn } from '../source-values.ts';
import { durationSeconds } from './go-duration.ts';

export interface GatusContext extends ReadContext {
  readonly now: number;
  /** The windows of all endpoints. */
  readonly maintenance: readonly ImportedWindow[];
}

/** The windows of one section or of a list of them, which is named by `setting`. */
export function windowsOfGatus(
  given: unknown,
  { name, setting }: { readonly name: string; readonly setting: string },
  { findings, now }: Omit<GatusContext, 'maintenance'>,
): readonly ImportedWindow[] {
  const sections = (Array.isArray(given) ? given : [given]).filter((section) => isObject(section) && section['enabled'] !== false);
  return sections.flatMap((section: SourceObject): readonly ImportedWindow[] => {
    const made = windowsOf(section, now);
    if (typeof made === 'string') {
      findings.miss(name, `${setting}: ${made}`);
      return [];
    }
    for (const reason of made.changes) findings.change(name, `${setting}: ${reason}`);
    return made.windows;
  });
}

function windowsOf({ start, duration, timezone, every }: SourceObject, now: number): ReturnType<typeof repeatedWindows> {
  const startMinute = minuteOfDay(textIn(start));
  const zone = zoneNamed(textIn(timezone) || 'UTC');
  const weekdays = weekdaysNamed(Array.isArray(every) ? every.map(textIn) : []);
  if (startMinute === null) return `start ${textIn(start)}: is not a time such as 23:00`;
  if (zone === null) return `${textIn(timezone)}: a time zone that this machine does not know`;
  if (weekdays === null) return 'every: is not a list of days of the week';
  const note = `${textIn(start)} for ${textIn(duration)}`;
  const minutes = (durationSeconds(duration) ?? 0) / 60;
  return repeatedWindows(
    { note, zone, startMinute, minutes, days: weekdays.length === 0 ? { kind: 'daily' } : { kind: 'weekly', weekdays } },
    now,
  );
}
