import type { Invariant } from './invariant.ts';

/** The key of an erased account is destroyed (crypto-shredding), and the log records the erasure once. */
export const erasedForGood: Invariant = async ({ pool, erased }) => {
  const { rows } = await pool.query<{ id: string; legible: boolean; times: number }>(
    `SELECT user_id AS id, EXISTS (SELECT FROM subject_keys WHERE subject = 'account-' || user_id AND wrapped IS NOT NULL) AS legible,
       (SELECT count(*)::int FROM log WHERE stream = 'account-' || user_id AND type = 'AccountErased') AS times
     FROM unnest($1::text[]) AS erased (user_id)`,
    [erased],
  );
  return rows.flatMap(({ id, legible, times }) => [
    ...(legible ? [`the account ${id} was erased but its key exists`] : []),
    ...(times === 1 ? [] : [`the account ${id} was erased ${String(times)} times`]),
  ]);
};

/** Each day of a project is closed at most once, and every day that was due is closed. */
export const closedOnce: Invariant = async ({ pool, closed }) => {
  const { rows } = await pool.query<{ place: string; times: number }>(
    `SELECT (data::json ->> 'projectId') || ' ' || (data::json ->> 'day') AS place, count(*)::int AS times FROM log
     WHERE type = 'UptimeDayClosed' GROUP BY 1`,
  );
  const times = new Map(rows.map((row) => [row.place, row.times]));
  const open = closed.filter(({ projectId, day }) => !times.has(`${projectId} ${day}`));
  return [
    ...rows.filter((row) => row.times > 1).map((row) => `closed ${String(row.times)} times: ${row.place}`),
    ...open.map(({ projectId, day }) => `never closed: ${projectId} ${day}`),
  ];
};
