import { importedWithin } from './report.ts';
import { formatInstant, type TimeSpan } from '../../kernel/instants.ts';
import type { ImportedUptimeRow } from './imported-uptime.view.ts';
import type { ImportedUptimeAnswer, ReportedImportAnswer } from './imported-uptime.description.ts';

const PERCENT = 100;

/** Beside the figures of a report; null where the time has none (docs/spec/beyond.md#B11). */
export function presentImportedShare(row: ImportedUptimeRow | null, span: TimeSpan, offsetMinutes: number): ReportedImportAnswer | null {
  const share = row === null ? null : importedWithin(row, span);
  if (share === null) return null;
  const { origin, from, to, up, samples } = share;
  return {
    ...{ origin, from: formatInstant(from, offsetMinutes), to: formatInstant(to, offsetMinutes) },
    ...{ uptime: (up / samples) * PERCENT, samples },
  };
}

export function presentImportedUptime(row: ImportedUptimeRow | null): ImportedUptimeAnswer {
  const { origin = null, from = null, up = [], down = [], importedAt = null, event = null } = row ?? {};
  return { origin, from, up, down, importedAt, event };
}
