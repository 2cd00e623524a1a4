import { defineReactor } from 'watchledger/projection';

const { EFFECTS_URL: url = '', OUTSIDE_DATABASE: outside = '' } = process.env;

/** Three effects of a renaming at every fourth position, because they take longer than the renamings: a statement on both sides of a request, at which its process can be killed. */
export default defineReactor({
  name: 'titles_out',
  from: 'beginning',
  on: {
    ProjectRenamed: async ({ n, scope }, effects) => {
      if (n % 4 !== 0) return;
      await effects.sql(outside, 'INSERT INTO begun (scope, position) VALUES ($1, $2)', [scope, n]);
      await effects.http({ url, body: { scope, position: n } });
      await effects.sql(outside, 'INSERT INTO acted (scope, position) VALUES ($1, $2)', [scope, n]);
    },
  },
});
