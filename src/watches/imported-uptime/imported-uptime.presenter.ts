import { formatInstant, type TimeSpan } from '../../kernel/instants.ts';
import type { ImportedUptimeRow } from './imported-uptime.view.ts';
import type { ImportedUptimeAnswer, ReportedImportAnswer } from './imported-uptime.api.ts';
import type { ImportedDays } from './imported-uptime.events.ts';
import { DAY_MS } from '../../kernel/time.ts';

/** Imported days within a time, summed up. */
interface ImportedShare {
  readonly origin: string;
  /** Midnight of the first day. */
  readonly from: number;
  /** Midnight behind the last day. */
  readonly to: number;
  readonly up: number;
  readonly samples: number;
}

/** The share of the days that begin within the span and have samples; null without such days. */
export function importedWithin({ origin, from, up, down }: ImportedDays, span: TimeSpan): ImportedShare | null {
  const first = Date.parse(from);
  const days = up.flatMap((ups, nth) => {
    const at = first + nth * DAY_MS;
    const samples = ups + (down[nth] ?? 0);
    return at >= span.from && at < span.to && samples > 0 ? [{ at, ups, samples }] : [];
  });
  const [begin, end] = [days[0], days.at(-1)];
  if (begin === undefined || end === undefined) return null;
  const sum = (of: (day: (typeof days)[number]) => number): number => days.reduce((total, day) => total + of(day), 0);
  return { origin, from: begin.at, to: end.at + DAY_MS, up: sum(({ ups }) => ups), samples: sum(({ samples }) => samples) };
}

const PERCENT = 100;

/** Beside the figures of a report; null where the time has none (docs/spec/beyond.md#B11). */
export function presentImportedShare(row: ImportedUptimeRow | null, span: TimeSpan, offsetMinutes: number): ReportedImportAnswer | null {
  const share = row === null ? null : importedWithin(row, span);
  if (share === null) return null;
  const { origin, from, to, up, samples } = share;
  return {
    origin,
    from: formatInstant(from, offsetMinutes),
    to: formatInstant(to, offsetMinutes),
    uptime: (up / samples) * PERCENT,
    samples,
  };
}

export function presentImportedUptime(row: ImportedUptimeRow | null): ImportedUptimeAnswer {
  const { origin = null, from = null, up = [], down = [], importedAt = null, event = null } = row ?? {};
  return { origin, from, up, down, importedAt, event };
}
