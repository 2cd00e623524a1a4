export interface Interval {
  readonly from: number;
  readonly to: number;
}

/** How much of the span the intervals fill, each with what follows from it. */
export const during = (intervals: readonly Interval[], from: number, to: number, after = 0): number =>
  intervals.reduce((sum, one) => sum + Math.max(0, Math.min(to, one.to + after) - Math.max(from, one.from)), 0);
