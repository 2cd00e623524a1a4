import { defineProjection } from 'watchledger/projection';
import './team-orders.mjs';

/** A team's read model whose rows show whether each event was applied exactly once. */
const titles = defineProjection({
  name: 'titles',
  version: 1,
  tables: ['CREATE TABLE title (title text PRIMARY KEY, times bigint NOT NULL)'],
  on: {
    ProjectRenamed: ({ data }, tx) => {
      tx.add('title', { title: data.to }, { times: 1 });
    },
  },
});

export default titles;
