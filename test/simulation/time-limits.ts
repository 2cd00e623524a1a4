export const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3600_000, 86_400_000] as const;

export const PERIODS: Readonly<Record<string, number>> = {
  '5 minutes': 5 * MINUTE,
  '30 minutes': 30 * MINUTE,
  '1 hour': HOUR,
  '8 hours': 8 * HOUR,
};
/** How often a checker divides the shards anew. */
export const SHARDS_MS = 60 * SECOND;
/** The time until another checker owns the shards of a dead one and made up missed checks. */
export const TAKEN_MS = 10 * SECOND + SHARDS_MS + 30 * SECOND;
/** An inconclusive run is retried after half a minute, seldom twice. */
export const LATE_MS = 3 * MINUTE;
export const LARGEST_STEP = 10 * MINUTE;
