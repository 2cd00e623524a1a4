import type { Invariant } from './invariant.ts';

/** No gap in the log or in a stream, and no step back in time, whatever the clocks did. */
export const logOrder: Invariant = async ({ pool }) => {
  const { rows } = await pool.query(
    `SELECT n, stream, revision, recorded_at FROM (
       SELECT n, stream, revision, recorded_at, row_number() OVER (ORDER BY n) - 1 AS place,
         row_number() OVER (PARTITION BY stream ORDER BY n) - 1 AS step, lag(recorded_at) OVER (ORDER BY n) >= recorded_at AS backward FROM log) AS l
     WHERE n <> place OR revision <> step OR backward ORDER BY n LIMIT 5`,
  );
  return rows.map((row) => `a gap, a duplicate or a step back in time: ${JSON.stringify(row)}`);
};
