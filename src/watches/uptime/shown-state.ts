/** What a line of uptime shows. `unknown`: it was not measured. */
export type ItemState = 'working' | 'failing' | 'maintenance' | 'unknown';

export const SHOWN_DAYS = 90;
/** Milliseconds. */
export const SHOWN_DAY = 86_400_000;

export const utcMidnight = (at: number): number => Math.floor(at / SHOWN_DAY) * SHOWN_DAY;
/** The beginning of the first day that is shown. */
export const firstDayAt = (at: number): number => utcMidnight(at) - (SHOWN_DAYS - 1) * SHOWN_DAY;

/** Without measurements for this long nothing is said about now. */
export const SILENT_AFTER = 15 * 60_000;

interface ItemNow {
  readonly current: 'working' | 'failing' | null;
  readonly isPlanned: boolean;
  /** The end of the last time that is known. */
  readonly lastKnown: number | null;
  readonly at: number;
}

export function itemStateOf({ current, isPlanned, lastKnown, at }: ItemNow): ItemState {
  if (isPlanned) return 'maintenance';
  return current === null || lastKnown === null || lastKnown < at - SILENT_AFTER ? 'unknown' : current;
}
