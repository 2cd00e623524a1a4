import { defineProjection, scopeId } from 'watchledger/projection';

/** How often checks failed, by project: put your own tables and events in the place of these. */
export default defineProjection({
  name: 'first_look',
  // Raise it with every change of a table or a handler: the new version is filled beside the old one, then takes its place.
  version: 1,
  tables: ['CREATE TABLE failures (project text PRIMARY KEY, times bigint NOT NULL)'],
  on: {
    // Your editor lists every event here, and its fields behind "event.data.".
    CheckFailed: (event, tx) => {
      tx.add('failures', { project: scopeId(event) }, { times: 1 });
    },
  },
});
