import type { Invariant } from './invariant.ts';

/** Every acknowledged write has appended its events exactly once, however often it was retried. */
export const writesOnce: Invariant = async ({ pool, deeds }) => {
  const { rows } = await pool.query<{ command: string; type: string; times: number }>(
    `SELECT meta::json ->> 'commandId' AS command, type, count(*)::int AS times FROM log
     WHERE meta::json ->> 'commandId' = ANY($1) GROUP BY 1, 2`,
    [deeds.flatMap(({ commands }) => commands)],
  );
  const found = new Map(rows.map(({ command, type, times }) => [`${command} ${type}`, times]));
  return deeds.flatMap(({ what, commands, traces, acknowledged }) =>
    Object.entries(traces).flatMap(([type, wanted]) => {
      const times = commands.reduce((sum, command) => sum + (found.get(`${command} ${type}`) ?? 0), 0);
      if (times > wanted) return [`written twice: ${what} left ${String(times)} ${type}`];
      return acknowledged && times < wanted ? [`acknowledged and lost: ${what} left ${String(times)} ${type}`] : [];
    }),
  );
};
