import { type DayTotals, percentages, type UptimeTotals } from '../../platform/observations/samples/report.ts';
import { formatInstant } from '../../kernel/instants.ts';
import type { SpanInput } from '../../platform/http/spans/span-input.ts';
import type { ReportedImportAnswer } from '../imported-uptime/imported-uptime.api.ts';
import type { ReportedMaintenanceAnswer, UptimeReportAnswer } from './uptime.api.ts';
import type { UptimeDayAnswer } from '../../platform/observations/samples/uptime-day.api.ts';

export interface PresentedReport {
  readonly span: SpanInput;
  readonly totals: UptimeTotals;
  readonly isUptimeEnabled: boolean;
  /** Maintenance is excluded. */
  readonly withoutMaintenance: boolean;
  readonly maintenance: ReportedMaintenanceAnswer;
  readonly imported: ReportedImportAnswer | null;
}

/** docs/spec/interface.md#uptime-report. */
export const presentUptime = ({
  span,
  totals,
  isUptimeEnabled,
  withoutMaintenance,
  maintenance,
  imported,
}: PresentedReport): UptimeReportAnswer => ({
  isUptimeEnabled,
  ...presentTotals(span, totals, withoutMaintenance),
  maintenance,
  ...(imported !== null && { imported }),
});

export function presentTotals(
  { start, end }: SpanInput,
  { total, days, daysCount }: UptimeTotals,
  withoutMaintenance = false,
): Omit<UptimeReportAnswer, 'isUptimeEnabled' | 'maintenance' | 'imported'> {
  return {
    from: formatInstant(start.at, start.offsetMinutes),
    to: formatInstant(end.at, end.offsetMinutes),
    daysCount,
    uptime: percentages(total),
    uptimeByDays: days.map((day) => presentDay(day, start.offsetMinutes, withoutMaintenance)),
    unknownSeconds: total.unknownMs / 1000,
    ...(withoutMaintenance && { maintenanceSeconds: total.maintenanceMs / 1000 }),
  };
}

function presentDay(day: DayTotals, offsetMinutes: number, withoutMaintenance: boolean): UptimeDayAnswer {
  const { up, down, timeout } = percentages(day);
  return {
    date: formatInstant(day.at, offsetMinutes),
    up,
    down,
    timeout: Math.round(timeout),
    timeoutPercent: timeout,
    unknownSeconds: day.unknownMs / 1000,
    ...(withoutMaintenance && { maintenanceSeconds: day.maintenanceMs / 1000 }),
  };
}
