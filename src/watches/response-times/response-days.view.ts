import { monthOf } from '../../platform/observations/closed-days/day-intervals.codec.ts';
import { integerColumn } from '../../platform/read-models/authoring/columns.ts';
import { defineView, scopeId } from '../../platform/read-models/authoring/define-view.ts';

/** The closed days of a project and month, by UTC day: 1000-second sums and the day's sketch, both packed, in base64. */
export interface ResponseDaysRow {
  readonly month: number;
  readonly days: Readonly<Record<string, { readonly buckets: string; readonly sketch: string }>>;
}

export const responseDaysView = defineView<ResponseDaysRow>()({
  name: 'response_days',
  version: 1,
  scope: 'project',
  key: (event) => `${scopeId(event)}/${event.data.day.slice(0, 7)}`,
  on: {
    ResponseTimesDayClosed: (row, { data: { day, buckets, sketch } }) => ({
      month: monthOf(Date.parse(day)),
      days: { ...row?.days, [day]: { buckets, sketch } },
    }),
  },
  columns: { month: integerColumn(({ month }: ResponseDaysRow) => month) },
});
