import type { TimeSpan } from '../../kernel/instants.ts';
import type { MaintenanceWindow } from './maintenance.decider.ts';
import { DAY_MS } from '../../kernel/time.ts';

/** A window with the time at which it was recorded. */
export interface RecordedWindow extends MaintenanceWindow {
  readonly announcedAt: string;
}

/** When the windows really are, within a span: merged, in order. A window that was ended lasts no longer than that. */
export const maintenanceWithin = (windows: Iterable<MaintenanceWindow>, span: TimeSpan): readonly TimeSpan[] =>
  occurrencesWithin(windows, span, () => true);

/** Only occurrences that were recorded before they began: nothing that is recorded later changes them, apart from an earlier end. */
export const announcedWithin = (windows: Iterable<RecordedWindow>, span: TimeSpan): readonly TimeSpan[] =>
  occurrencesWithin(windows, span, ({ announcedAt }, begin) => Date.parse(announcedAt) <= begin);

function occurrencesWithin<Window extends MaintenanceWindow>(
  windows: Iterable<Window>,
  { from, to }: TimeSpan,
  isCounted: (window: Window, begin: number) => boolean,
): readonly TimeSpan[] {
  const spans: TimeSpan[] = [];
  for (const window of windows) {
    const end = Math.min(to, window.endedAt === null ? Infinity : Date.parse(window.endedAt));
    for (const occurrence of occurrences(window, from, end)) {
      if (!isCounted(window, occurrence.from)) continue;
      const cut = { from: Math.max(occurrence.from, from), to: Math.min(occurrence.to, end) };
      if (cut.from < cut.to) spans.push(cut);
    }
  }
  return merged(spans.sort((one, other) => one.from - other.from));
}

function* occurrences(window: MaintenanceWindow, from: number, to: number): Iterable<TimeSpan> {
  const first = Date.parse(window.from);
  const length = Date.parse(window.to) - first;
  if (window.repeat === null) {
    yield { from: first, to: first + length };
    return;
  }
  const nth =
    window.repeat === 'monthly' ? monthly(first, window.offsetMinutes) : every(first, window.repeat === 'daily' ? DAY_MS : 7 * DAY_MS);
  // No month is longer than 31 days, so this begins at or before the first occurrence that reaches into the span.
  const step = window.repeat === 'daily' ? DAY_MS : window.repeat === 'weekly' ? 7 * DAY_MS : 31 * DAY_MS;
  for (let index = Math.max(0, Math.floor((from - length - first) / step)); ; index++) {
    const begin = nth(index);
    if (begin >= to) return;
    yield { from: begin, to: begin + length };
  }
}

const every = (first: number, step: number) => (index: number) => first + index * step;

/** The same day of each month, its last day where it has no such day. */
const monthly = (first: number, offsetMinutes: number) => (index: number) => {
  const local = new Date(first + offsetMinutes * 60_000);
  const [year, month, day] = [local.getUTCFullYear(), local.getUTCMonth() + index, local.getUTCDate()];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const midnight = Date.UTC(year, local.getUTCMonth(), day);
  return Date.UTC(year, month, Math.min(day, lastDay)) + (local.getTime() - midnight) - offsetMinutes * 60_000;
};

function merged(sorted: readonly TimeSpan[]): readonly TimeSpan[] {
  const result: TimeSpan[] = [];
  for (const span of sorted) {
    const last = result.at(-1);
    if (last !== undefined && span.from <= last.to) result[result.length - 1] = { from: last.from, to: Math.max(last.to, span.to) };
    else result.push(span);
  }
  return result;
}
