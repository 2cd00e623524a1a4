import { maintenanceWithin } from '../../projects/maintenance/occurrences.ts';
import type { TimeSpan } from '../../kernel/instants.ts';
import type { MaintenanceWindowRow } from '../../projects/maintenance/maintenance.view.ts';
import { presentWindow } from '../../projects/maintenance/maintenance.presenter.ts';
import type { ReportedMaintenanceAnswer } from './uptime.description.ts';

export interface MaintenanceSpans {
  readonly all: readonly TimeSpan[];
  readonly announced: readonly TimeSpan[];
}

/** The maintenance of a report, whether or not it is excluded: what was announced, what was entered afterwards, and by which events. */
export function presentMaintenance(
  windows: readonly MaintenanceWindowRow[],
  { all, announced }: MaintenanceSpans,
  span: TimeSpan,
  now: number,
): ReportedMaintenanceAnswer {
  const announcedSeconds = secondsOf(announced);
  return {
    announcedSeconds,
    afterwardsSeconds: secondsOf(all) - announcedSeconds,
    windows: windows.filter((window) => maintenanceWithin([window], span).length > 0).map((window) => presentWindow(window, now)),
  };
}

const secondsOf = (spans: readonly TimeSpan[]): number => spans.reduce((sum, { from, to }) => sum + (to - from), 0) / 1000;
