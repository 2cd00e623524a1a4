import { DAY_LENGTH, HOUR_LENGTH, MINUTE_LENGTH } from './instants.ts';

/** A stretch of time that a bar or a chart shows. */
export interface ShownSpan {
  readonly from: number;
  readonly to: number;
}

export const SHORTEST = 10 * MINUTE_LENGTH;
export const LONGEST = 400 * DAY_LENGTH;

/** The share of the width at which an instant lies. */
export const placeOnSpan = (at: number, { from, to }: ShownSpan): number => (at - from) / (to - from);

export const instantAtPlace = (place: number, { from, to }: ShownSpan): number => Math.round(from + place * (to - from));

/** Longer or shorter by a factor; what lies at `place` stays there, and no later time than `latest` is shown. */
export function zoomed(span: ShownSpan, factor: number, place: number, latest: number): ShownSpan {
  const length = Math.min(LONGEST, Math.max(SHORTEST, (span.to - span.from) * factor));
  const fixed = instantAtPlace(place, span);
  const to = Math.min(latest, fixed + (1 - place) * length);
  return { from: to - length, to };
}

const STEPS = [
  MINUTE_LENGTH,
  5 * MINUTE_LENGTH,
  15 * MINUTE_LENGTH,
  HOUR_LENGTH,
  3 * HOUR_LENGTH,
  6 * HOUR_LENGTH,
  12 * HOUR_LENGTH,
  DAY_LENGTH,
  2 * DAY_LENGTH,
  7 * DAY_LENGTH,
  14 * DAY_LENGTH,
  30 * DAY_LENGTH,
  60 * DAY_LENGTH,
];

export interface Ticks {
  readonly at: readonly number[];
  /** Whole days: labelled by date alone. */
  readonly areDays: boolean;
}

/** Round instants of the reader's zone, at most `most` of them. */
export function ticksOf({ from, to }: ShownSpan, most: number): Ticks {
  const step = STEPS.find((length) => (to - from) / length <= most) ?? 120 * DAY_LENGTH;
  const areDays = step >= DAY_LENGTH;
  const midnight = new Date(from);
  midnight.setHours(0, 0, 0, 0);
  const at: number[] = [];
  if (areDays) {
    // By calendar days, which are not all of the same length.
    for (const next = midnight; next.getTime() <= to; next.setDate(next.getDate() + step / DAY_LENGTH)) at.push(next.getTime());
  } else for (let next = midnight.getTime(); next <= to; next += step) at.push(next);
  return { at: at.filter((instant) => instant >= from), areDays };
}
