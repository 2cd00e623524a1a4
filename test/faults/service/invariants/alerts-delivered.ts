import type { Invariant } from './invariant.ts';

/** A message recorded as delivered has arrived, and is recorded once. */
export const alertsDelivered: Invariant = async ({ pool, hasArrived }) => {
  const { rows } = await pool.query<{ id: string; times: number }>(
    `SELECT data::json ->> 'messageId' AS id, count(*)::int AS times FROM log
     WHERE type = 'NotificationDelivered' AND data::json ->> 'channel' = 'webhook' GROUP BY 1`,
  );
  return rows.flatMap(({ id, times }) => [
    ...(hasArrived(id) ? [] : [`recorded as delivered but not received: ${id}`]),
    ...(times > 1 ? [`recorded as delivered ${String(times)} times: ${id}`] : []),
  ]);
};
