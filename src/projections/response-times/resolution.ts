const HOUR = 3_600_000;
const WEEK = 7 * 24 * HOUR;

/** What is shown when nobody chose (decisions.md, J12). */
export function usualResolution(from: number, to: number): number | 'each' {
  if (to - from <= HOUR) return 'each';
  return to - from <= WEEK ? 1_000_000 : 5_000_000;
}
