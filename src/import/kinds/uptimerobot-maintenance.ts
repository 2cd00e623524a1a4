import type { ImportFindings } from '../findings.ts';
import { type ImportedWindow, IS_OVER, type MaintenanceDays, minuteOfDay, repeatedWindows, singleWindow } from '../maintenance-windows.ts';
import { numberIn, objectsIn, type SourceObject, textIn } from '../source-values.ts';

const PAUSED = /^(?:0|paused)$/i;
/** Version 2 numbers them, version 3 names them. */
const KINDS: Readonly<Record<string, string>> = { 1: 'once', 2: 'daily', 3: 'weekly', 4: 'monthly' };

/** The windows of a monitor as an answer of `getMonitors` has them; a table has their ids only. */
export function windowsOfUptimeRobot(given: unknown, label: string, now: number, findings: ImportFindings): readonly ImportedWindow[] {
  const windows = objectsIn(given);
  const asked = Array.isArray(given) ? given.length > windows.length : !/^(?:0)?$/.test(textIn(given));
  if (asked) findings.miss(label, 'mwindows: their times are not in the source; ask its API for monitors with their windows');
  return windows.flatMap((window): readonly ImportedWindow[] => {
    if (PAUSED.test(textIn(window['status']))) return [];
    const name = textIn(window['friendly_name'] ?? window['name']) || `window ${textIn(window['id'])}`;
    const made = windowsOf(window, name, now);
    if (typeof made !== 'string') {
      if (made.some(({ repeat }) => repeat !== undefined)) findings.change(label, `mwindows: ${name}: its time is read as one in UTC`);
      return made;
    }
    findings.miss(label, `mwindows: ${name}: ${made}`);
    return [];
  });
}

function windowsOf(window: SourceObject, note: string, now: number): readonly ImportedWindow[] | string {
  const given = textIn(window['type'] ?? window['interval']);
  const kind = KINDS[given] ?? given.toLowerCase();
  const minutes = numberIn(window['duration']) ?? 0;
  const start = textIn(window['start_time'] ?? window['time']);
  if (kind === 'once') {
    const from = instantOf(start, textIn(window['date']));
    if (from === null || minutes <= 0) return 'its times are not valid';
    const to = from + minutes * 60_000;
    return to <= now ? IS_OVER : [singleWindow(from, to, note, 'UTC')];
  }
  const startMinute = minuteOfDay(start);
  const days = daysOf(kind, numbersIn(window['value'] ?? window['days']));
  if (startMinute === null || days === null) return 'its times or days are not valid';
  const made = repeatedWindows({ note, zone: 'UTC', startMinute, minutes, days }, now);
  return typeof made === 'string' ? made : made.windows;
}

/** Reads seconds since 1970, or a day and a time of day. */
function instantOf(start: string, date: string): number | null {
  const seconds = numberIn(start);
  const at = seconds === null ? Date.parse(`${date}T${start}Z`) : seconds * 1_000;
  return Number.isFinite(at) ? at : null;
}

/** `1-3-5`, or a list; Monday is 1. */
const numbersIn = (given: unknown): readonly number[] =>
  (Array.isArray(given) ? given.map(textIn) : textIn(given).split('-')).flatMap((one) => numberIn(one) ?? []);

function daysOf(kind: string, numbers: readonly number[]): MaintenanceDays | null {
  if (kind === 'daily') return { kind };
  const most = kind === 'weekly' ? 7 : 31;
  if (numbers.length === 0 || numbers.some((one) => !Number.isInteger(one) || one < 1 || one > most)) return null;
  if (kind === 'weekly') return { kind, weekdays: numbers.map((one) => one - 1) };
  return kind === 'monthly' ? { kind, daysOfMonth: numbers, lastDay: false } : null;
}
