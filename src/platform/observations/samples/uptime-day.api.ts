import { integer, named, number, record, type Schema, type ValueOf } from '../../http/description/schema.ts';
import { instant } from '../../http/description/vocabulary.ts';

export const shareOfTime = (description: string, example: number): Schema<number> =>
  number(`${description}, percent of the time that is known`, { minimum: 0, maximum: 100, examples: [example] });
export const unmeasuredSeconds = number('Seconds without measurements', { minimum: 0 });
export const maintenanceSeconds = number('Seconds of maintenance, when it is excluded', { minimum: 0 });

/** docs/spec/interface.md#uptime-report; docs/spec/decisions.md#J13. */
export const uptimeDay = named(
  'UptimeDay',
  record(
    'A calendar day',
    {
      date: instant('Midnight', '2023-03-22T00:00:00+00:00'),
      up: shareOfTime('Up', 99.5),
      down: shareOfTime('Down', 0.5),
      timeout: integer('Timed out, percent of the time that is known, rounded', { format: 'int32', minimum: 0, maximum: 100 }),
      timeoutPercent: shareOfTime('Timed out', 0),
      unknownSeconds: unmeasuredSeconds,
    },
    { maintenanceSeconds },
  ),
);
export type UptimeDayAnswer = ValueOf<typeof uptimeDay>;
