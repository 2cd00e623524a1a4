import { defineProjection, scopeId } from 'watchledger/projection';

/** The checks that fail right now, and since when. */
export default defineProjection({
  name: 'open_failures',
  version: 1,
  tables: ['CREATE TABLE failure (check_id text PRIMARY KEY, project text NOT NULL, since timestamptz NOT NULL, reason text NOT NULL)'],
  on: {
    CheckFailed: (event, tx) =>
      tx.query(
        `INSERT INTO failure VALUES ($1, $2, $3, $4)
         ON CONFLICT (check_id) DO UPDATE SET since = excluded.since, reason = excluded.reason`,
        [event.data.checkId, scopeId(event), event.data.since, event.data.failing.failures.join('; ')],
      ),
    CheckRecovered: (event, tx) => tx.query('DELETE FROM failure WHERE check_id = $1', [event.data.checkId]),
    CheckDeleted: (event, tx) => tx.query('DELETE FROM failure WHERE check_id = $1', [event.data.checkId]),
    ProjectDeleted: (event, tx) => tx.query('DELETE FROM failure WHERE project = $1', [scopeId(event)]),
  },
});
