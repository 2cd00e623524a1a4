import { maintenanceWithin } from './occurrences.ts';
import { formatInstant } from '../../kernel/instants.ts';
import type { MaintenanceWindowRow } from './maintenance.view.ts';
import type { MaintenanceAnswer } from './maintenance.api.ts';

export function presentWindow(window: MaintenanceWindowRow, now: number): MaintenanceAnswer {
  const { windowId, from, to, note, repeat, offsetMinutes, endedAt, announcedAt, event } = window;
  const local = (instant: string): string => formatInstant(Date.parse(instant), offsetMinutes);
  return {
    id: windowId,
    from: local(from),
    to: local(to),
    note,
    repeat,
    endedAt: endedAt === null ? null : local(endedAt),
    announcedAt: local(announcedAt),
    event,
    active: maintenanceWithin([window], { from: now, to: now + 1 }).length > 0,
  };
}
