export interface Interval {
  readonly from: number;
  readonly to: number;
}

/** How much of a period the intervals cover, each extended by `after`. */
export const during = (intervals: readonly Interval[], from: number, to: number, after = 0): number =>
  intervals.reduce((sum, one) => sum + Math.max(0, Math.min(to, one.to + after) - Math.max(from, one.from)), 0);

export const touches = (intervals: readonly Interval[], from: number, to: number, after = 0): boolean =>
  intervals.some((one) => one.from < to && one.to + after > from);

/** The time by which something must have happened; `excused`: the additional time that faults allow. */
export function deadline(from: number, takes: number, excused: (until: number) => number): number {
  for (let until = from + takes; ;) {
    const longer = from + takes + excused(until);
    if (longer <= until) return until;
    until = longer;
  }
}
