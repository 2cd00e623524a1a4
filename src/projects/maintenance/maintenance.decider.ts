import { type Decider, ignoreUnknownEvent } from '../../kernel/decider.ts';
import { DomainError, InvalidInput } from '../../kernel/errors.ts';
import type { EventOf } from '../../kernel/event.ts';
import type { MaintenanceEvents, Repeat } from './maintenance.events.ts';
import { DAY_MS } from '../../kernel/time.ts';

export type MaintenanceEvent = EventOf<MaintenanceEvents>;

export interface MaintenanceWindow {
  readonly windowId: string;
  readonly from: string;
  readonly to: string;
  readonly note: string;
  readonly repeat: Repeat | null;
  readonly offsetMinutes: number;
  /** No occurrence begins after it; null while the window is active. */
  readonly endedAt: string | null;
}

export type MaintenanceWindows = ReadonlyMap<string, MaintenanceWindow>;

export const noMaintenance: MaintenanceWindows = new Map();

export function evolveMaintenance(windows: MaintenanceWindows, event: MaintenanceEvent): MaintenanceWindows {
  switch (event.type) {
    case 'MaintenanceScheduled':
      return new Map(windows).set(event.data.windowId, { ...event.data, endedAt: null });
    case 'MaintenanceCancelled': {
      const { windowId, at, keepsPast } = event.data;
      const changed = new Map(windows);
      const window = windows.get(windowId);
      if (window !== undefined && keepsPast) changed.set(windowId, { ...window, endedAt: at });
      else changed.delete(windowId);
      return changed;
    }
    default:
      return ignoreUnknownEvent(event, windows);
  }
}

export class MaintenanceNotFound extends DomainError {
  readonly code = 'MAINTENANCE_NOT_FOUND';

  constructor() {
    super('The maintenance window was not found.');
  }
}

export interface NewWindow {
  readonly windowId: string;
  readonly from: number;
  readonly to: number;
  readonly offsetMinutes: number;
  readonly note: string;
  readonly repeat: Repeat | null;
}

/** The shortest distance between two beginnings: a window must not overlap itself. */
const distance: Record<Repeat, number> = { daily: DAY_MS, weekly: 7 * DAY_MS, monthly: 28 * DAY_MS };
const LONGEST = 366 * DAY_MS;
/** A report over all time reads every repetition since: a window of the year 1 has seven hundred thousand. */
const OLDEST_REPEATED = 366 * DAY_MS;
/** Past windows are kept, because reports exclude their time. */
const MOST_TO_COME = 200;
const MOST = 2_000;
const LONGEST_NOTE = 1000;

export function schedule(windows: MaintenanceWindows, wanted: NewWindow, now: number): readonly MaintenanceEvent[] {
  const { windowId, from, to, note, repeat, offsetMinutes } = wanted;
  if (windows.has(windowId)) return [];
  if (to <= from) throw new InvalidInput('to: must be later than from');
  if (to - from > (repeat === null ? LONGEST : distance[repeat]))
    throw new InvalidInput('to: a window may last at most a year, and not longer than its repetition');
  if (repeat !== null && from < now - OLDEST_REPEATED)
    throw new InvalidInput('from: a repeating window may start at most one year in the past');
  if (note.length > LONGEST_NOTE) throw new InvalidInput(`note: must have at most ${String(LONGEST_NOTE)} characters`);
  if ([...windows.values()].filter((window) => !isOver(window, now)).length >= MOST_TO_COME)
    throw new InvalidInput(`a project may have at most ${String(MOST_TO_COME)} upcoming or ongoing maintenance windows`);
  if (windows.size >= MOST) throw new InvalidInput(`a project may have at most ${String(MOST)} maintenance windows, past ones included`);
  const data = { windowId, from: new Date(from).toISOString(), to: new Date(to).toISOString(), note, repeat, offsetMinutes };
  return [{ type: 'MaintenanceScheduled', data }];
}

export const isOver = ({ to, repeat, endedAt }: MaintenanceWindow, now: number): boolean =>
  (repeat === null && Date.parse(to) <= now) || (endedAt !== null && Date.parse(endedAt) <= now);

export function cancel(windows: MaintenanceWindows, windowId: string, now: number): readonly MaintenanceEvent[] {
  const window = windows.get(windowId);
  if (window === undefined) throw new MaintenanceNotFound();
  if (window.endedAt !== null) return [];
  const keepsPast = Date.parse(window.from) < now;
  return [{ type: 'MaintenanceCancelled', data: { windowId, at: new Date(now).toISOString(), keepsPast } }];
}

export const maintenance: Decider<MaintenanceWindows, MaintenanceEvent> = { initial: noMaintenance, evolve: evolveMaintenance };
