/** Something that happened at an instant of the past. */
export interface Happening {
  readonly at: number;
  readonly act: () => Promise<unknown>;
}

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
