import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { type Events, occurred, projectionContract, projectionSpec, type SpecDatabase, specDatabase } from 'watchledger/projection';
import projection from './failures-by-hour.projection.ts';

let database: SpecDatabase;
beforeAll(async () => {
  database = await specDatabase();
});
afterAll(() => database.drop());

const failed = (project: string, at: string, location: string) => occurred(`project-${project}`, 'CheckFailed', failure(at, location));
const events = [
  failed('a', '2026-03-01T09:10:00.000Z', 'eu'),
  failed('b', '2026-03-01T09:20:00.000Z', 'eu'),
  failed('a', '2026-03-02T09:59:59.999Z', 'eu'),
  failed('a', '2026-03-02T23:00:00.000Z', 'us'),
];
const deleted = occurred('project-a', 'ProjectDeleted', { title: 'Shop', url: 'https://shop.example' });

describe('failures by hour', () => {
  it('counts them by project, hour of day and location', async () => {
    await projectionSpec(projection, database.pool)
      .given(events)
      .thenRows('failures', [
        { project: 'a', hour: 9, location: 'eu', times: '2' },
        { project: 'a', hour: 23, location: 'us', times: '1' },
        { project: 'b', hour: 9, location: 'eu', times: '1' },
      ]);
  });

  it('deletes the rows of a deleted project', async () => {
    await projectionSpec(projection, database.pool)
      .given([...events, deleted])
      .thenRows('failures', [{ project: 'b', hour: 9, location: 'eu', times: '1' }]);
  });

  it('answers as of an instant with the failures until then', async () => {
    const query = 'SELECT hour, location, times::int FROM failures';
    await projectionSpec(projection, database.pool)
      .given([...events, deleted])
      .thenAsOf(2, 'project-a', query, [{ hour: 9, location: 'eu', times: 2 }]);
  });

  it.each(projectionContract(projection).map((law) => [law.says, law] as const))('%s', async (_says, law) => {
    await law.check([...events, deleted], database.pool);
  });
});

function failure(at: string, location: string): Events['CheckFailed'] {
  const evidence = { runId: 'run', url: 'https://shop.example', at, location, httpStatus: 500, milliseconds: 80, page: null };
  const failing = { status: 'error', rules: ['status'], failures: ['expected status 200, got 500'] } as const;
  return { checkId: 'check', since: at, failing, confirmed: true, evidence };
}
