import { defineView, scopeId } from '../kit/define-view.ts';
import { integer } from '../kit/columns.ts';

/** The closed days of a project and month: packed intervals in base64, by UTC day. A report over a year reads a dozen rows. */
export interface UptimeDaysRow {
  readonly month: number;
  readonly days: Readonly<Record<string, string>>;
}

/** Months since the year 0, so that a span of them is a range. */
export const monthOf = (at: number): number => new Date(at).getUTCFullYear() * 12 + new Date(at).getUTCMonth();

export const uptimeDaysView = defineView<UptimeDaysRow>()({
  name: 'uptime_days',
  version: 1,
  scope: 'project',
  key: (event) => `${scopeId(event)}/${event.data.day.slice(0, 7)}`,
  on: {
    UptimeDayClosed: (row, { data: { day, intervals } }) => ({ month: monthOf(Date.parse(day)), days: { ...row?.days, [day]: intervals } }),
  },
  columns: { month: integer(({ month }: UptimeDaysRow) => month) },
});
