/** `name`: of the projection, such as `failures_by_hour`; `file`: of its files, such as `failures-by-hour`. */
export interface ProjectionNames {
  readonly name: string;
  readonly file: string;
}

/** A minimal working projection for teams to change. */
export const projectionText = ({ name }: ProjectionNames): string => `import { defineProjection, scopeId } from 'watchledger/projection';

/** How often checks failed, by project: put your own tables and events in the place of these. */
export default defineProjection({
  name: '${name}',
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
`;

export const specText = ({ name, file }: ProjectionNames): string => `import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { occurred, projectionContract, projectionSpec, type SpecDatabase, specDatabase } from 'watchledger/projection';
import projection from './${file}.projection.ts';

let database: SpecDatabase;
beforeAll(async () => {
  database = await specDatabase();
});
afterAll(() => database.drop());

const failed = (project: string, at: string) =>
  occurred(\`project-\${project}\`, 'CheckFailed', {
    checkId: 'check',
    since: at,
    failing: { status: 'error', rules: ['status'], failures: ['expected status 200, got 500'] },
    confirmed: true,
    evidence: { runId: 'run', url: 'https://shop.example', at, location: 'eu', httpStatus: 500, milliseconds: 80, page: null },
  });
const events = [failed('a', '2026-03-01T09:10:00.000Z'), failed('b', '2026-03-01T10:20:00.000Z'), failed('a', '2026-03-02T11:30:00.000Z')];

describe('${name}', () => {
  it('counts the failures of each project', async () => {
    await projectionSpec(projection, database.pool)
      .given(events)
      .thenRows('failures', [
        { project: 'a', times: '2' },
        { project: 'b', times: '1' },
      ]);
  });

  // What the service relies on, whatever is shown: rebuilds, redelivery, order.
  it.each(projectionContract(projection).map((law) => [law.says, law] as const))('%s', async (_says, law) => {
    await law.check(events, database.pool);
  });
});
`;
