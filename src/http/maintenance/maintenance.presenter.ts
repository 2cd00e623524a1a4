import { maintenanceWithin } from '../../domain/maintenance/occurrences.ts';
import { formatInstant } from '../../kernel/instants.ts';
import type { MaintenanceWindowRow } from '../../projections/read-models/maintenance/maintenance.view.ts';

export function presentWindow(window: MaintenanceWindowRow, now: number): object {
  const { windowId, from, to, note, repeat, offsetMinutes, endedAt } = window;
  return {
    id: windowId,
    from: formatInstant(Date.parse(from), offsetMinutes),
    to: formatInstant(Date.parse(to), offsetMinutes),
    note,
    repeat,
    endedAt: endedAt === null ? null : formatInstant(Date.parse(endedAt), offsetMinutes),
    active: maintenanceWithin([window], { from: now, to: now + 1 }).length > 0,
  };
}
