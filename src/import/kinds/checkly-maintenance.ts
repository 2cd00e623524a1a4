import { dayIn, offsetMinutesAt, weekday } from '../../alerts/reports/local-time.ts';
import type { ImportFindings } from '../findings.ts';
import { type ImportedWindow, IS_OVER, type MaintenanceDays, repeatedWindows, singleWindow, zoneNamed } from '../maintenance-windows.ts';
import { namesIn, numberIn, objectsIn, type SourceObject, textIn } from '../source-values.ts';

/** Windows, and the tags of checks that have them. */
export interface ChecklyMaintenance {
  readonly windows: readonly ImportedWindow[];
  /** Null for all checks. */
  readonly tags: ReadonlySet<string> | null;
}

/** As the API of Checkly lists them; what windows cannot say is named. */
export const maintenanceOfCheckly = (given: unknown, now: number, findings: ImportFindings): readonly ChecklyMaintenance[] =>
  objectsIn(given).flatMap((record) => {
    const name = `maintenance ${textIn(record['name']) || textIn(record['id'])}`;
    const made = windowsOf(record, now);
    if (typeof made === 'string') {
      findings.leaveOut(name, made);
      return [];
    }
    for (const reason of made.changes) findings.change(name, reason);
    return [{ windows: made.windows, tags: record['pauseAllChecks'] === true ? null : new Set(namesIn(record['tags'])) }];
  });

export const windowsOfTags = (all: readonly ChecklyMaintenance[], tags: readonly string[]): readonly ImportedWindow[] =>
  all.flatMap(({ windows, tags: wanted }) => (wanted === null || tags.some((tag) => wanted.has(tag)) ? windows : []));

function windowsOf(record: SourceObject, now: number): ReturnType<typeof repeatedWindows> {
  const [from, to, until] = ['startsAt', 'endsAt', 'repeatEndsAt'].map((name) => Date.parse(textIn(record[name])));
  const zone = zoneNamed(textIn(record['timezone']) || 'UTC');
  if (from === undefined || to === undefined || !(to > from) || zone === null) return 'its times are not valid';
  const note = textIn(record['name']);
  const interval = numberIn(record['repeatInterval']) ?? 0;
  const end = until === undefined || Number.isNaN(until) ? null : until;
  if (interval < 1) return to <= now ? IS_OVER : { windows: [singleWindow(from, to, note, zone)], changes: [] };
  const days = interval === 1 ? daysOf(textIn(record['repeatUnit']), from, zone) : null;
  if (days === null)
    return `every ${String(interval)} ${textIn(record['repeatUnit']).toLowerCase()}: windows repeat daily, weekly or monthly`;
  const since = dayIn(zone, from);
  const startMinute = (from / 60_000 + offsetMinutesAt(zone, from)) % 1_440;
  return repeatedWindows({ note, zone, startMinute, minutes: (to - from) / 60_000, days, since, until: end }, now);
}

function daysOf(unit: string, from: number, zone: string): MaintenanceDays | null {
  const first = dayIn(zone, from);
  switch (unit) {
    case 'DAY':
      return { kind: 'daily' };
    case 'WEEK':
      return { kind: 'weekly', weekdays: [weekday(first)] };
    case 'MONTH':
      return { kind: 'monthly', daysOfMonth: [first.day], lastDay: false };
    default:
      return null;
  }
}
