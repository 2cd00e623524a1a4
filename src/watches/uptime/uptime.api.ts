import { json, may, must, type Operations } from '../../platform/http/description/operation.ts';
import { flag, integer, list, named, number, record, type ValueOf, word } from '../../platform/http/description/schema.ts';
import { reportedImport } from '../imported-uptime/imported-uptime.api.ts';
import { maintenanceWindow } from '../../projects/maintenance/maintenance.api.ts';
import { maintenanceSeconds, shareOfTime, unmeasuredSeconds, uptimeDay } from '../../platform/observations/samples/uptime-day.api.ts';
import { atInstant, idPath, instant } from '../../platform/http/description/vocabulary.ts';

const reportedMaintenance = named(
  'ReportedMaintenance',
  record('Maintenance within the time of a report, excluded or not', {
    announcedSeconds: number('Seconds of maintenance that was recorded before it began', { minimum: 0 }),
    afterwardsSeconds: number('Seconds of maintenance that was recorded after it had begun', { minimum: 0 }),
    windows: list(maintenanceWindow, 'The windows, cancelled ones included if they had begun', { examples: [[]] }),
  }),
);
export type ReportedMaintenanceAnswer = ValueOf<typeof reportedMaintenance>;

const uptimeReport = named(
  'UptimeReport',
  record(
    'Uptime of a site over a time',
    {
      from: instant('Start, in the offset of the request', '2023-03-22T00:00:00+00:00'),
      to: instant('End, in the offset of the request', '2023-03-23T00:00:00+00:00'),
      daysCount: integer('Whole days between', { format: 'int32', minimum: 0, examples: [1] }),
      isUptimeEnabled: flag('Whether uptime is monitored today'),
      uptime: record('For the whole time', {
        up: shareOfTime('Up', 99.5),
        down: shareOfTime('Down', 0.5),
        timeout: shareOfTime('Timed out', 0),
      }),
      uptimeByDays: list(uptimeDay, 'Calendar days in that offset; days without data are omitted'),
      unknownSeconds: unmeasuredSeconds,
      maintenance: reportedMaintenance,
    },
    { maintenanceSeconds, imported: reportedImport },
  ),
);
export type UptimeReportAnswer = ValueOf<typeof uptimeReport>;

export const uptimeOperations: Operations = {
  'GET /project/:id/uptime': {
    id: 'getUptime',
    tag: 'Uptime',
    summary: 'Uptime report',
    path: idPath,
    query: {
      start: must(atInstant('Start')),
      end: may(atInstant('End; missing: now')),
      excludeMaintenance: may(
        word(['true', 'false', 'announced'], 'Exclude maintenance windows: all, none, or those announced before they began'),
      ),
    },
    answer: json(uptimeReport),
    refusals: { 405: { why: '`start` is missing or cannot be read', schema: 'StartError' } },
  },
};
