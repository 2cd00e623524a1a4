import { defineProjection, scopeId } from 'watchledger/projection';

/** How often checks failed in each hour of the day (UTC), by project and location. */
export default defineProjection({
  name: 'failures_by_hour',
  version: 1,
  tables: [
    `CREATE TABLE failures (
       project  text    NOT NULL,
       hour     integer NOT NULL,
       location text    NOT NULL,
       times    bigint  NOT NULL,
       PRIMARY KEY (project, hour, location)
     )`,
    'CREATE INDEX ON failures (hour, location)',
  ],
  on: {
    CheckFailed: (event, tx) => {
      const { at, location } = event.data.evidence;
      tx.add('failures', { project: scopeId(event), hour: new Date(at).getUTCHours(), location }, { times: 1 });
    },
    ProjectDeleted: (event, tx) => tx.query('DELETE FROM failures WHERE project = $1', [scopeId(event)]),
  },
});
