import { monthOf } from '../../platform/observations/closed-days/day-intervals.codec.ts';
import { integerColumn } from '../../platform/read-models/authoring/columns.ts';
import { defineView, scopeId } from '../../platform/read-models/authoring/define-view.ts';

/** The closed days of a project and month: packed intervals in base64, by UTC day. A report over a year reads a dozen rows. */
export interface UptimeDaysRow {
  readonly month: number;
  readonly days: Readonly<Record<string, string>>;
}

export const uptimeDaysView = defineView<UptimeDaysRow>()({
  name: 'uptime_days',
  version: 1,
  scope: 'project',
  key: (event) => `${scopeId(event)}/${event.data.day.slice(0, 7)}`,
  on: {
    UptimeDayClosed: (row, { data: { day, intervals } }) => ({ month: monthOf(Date.parse(day)), days: { ...row?.days, [day]: intervals } }),
  },
  columns: { month: integerColumn(({ month }: UptimeDaysRow) => month) },
});
