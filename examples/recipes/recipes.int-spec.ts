import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { occurred, projectionContract, projectionSpec, type SpecDatabase, specDatabase, viewSpec } from 'watchledger/projection';
import openFailures from './open-failures.projection.ts';
import titles from './titles.view.ts';

let database: SpecDatabase;
beforeAll(async () => {
  database = await specDatabase();
});
afterAll(() => database.drop());

const at = '2026-03-01T09:10:00.000Z';
const evidence = { runId: 'run', url: 'https://shop.example', at, location: 'eu', httpStatus: 500, milliseconds: 80, page: null };
const failing = { status: 'error', rules: ['status'], failures: ['expected status 200, got 500'] } as const;
const failed = (checkId: string) => occurred('project-a', 'CheckFailed', { checkId, since: at, failing, confirmed: true, evidence });
const failures = [
  failed('one'),
  failed('two'),
  failed('three'),
  occurred('project-a', 'CheckRecovered', { checkId: 'one', since: at, failedSince: at, failing, evidence }),
  occurred('project-a', 'CheckDeleted', { checkId: 'two', areaId: 'area', name: 'Two' }),
];
const deleted = occurred('project-a', 'ProjectDeleted', { title: 'Shop', url: 'https://shop.example' });

describe('open failures', () => {
  it('are those without a recovery or deletion', async () => {
    const spec = projectionSpec(openFailures, database.pool);
    await spec
      .given(failures)
      .thenRows('failure', [{ check_id: 'three', project: 'a', since: new Date(at), reason: 'expected status 200, got 500' }]);
    await spec.given([...failures, deleted]).thenRows('failure', []);
  });

  it.each(projectionContract(openFailures).map((law) => [law.says, law] as const))('%s', async (_says, law) => {
    await law.check([...failures, deleted], database.pool);
  });
});

const created = occurred('project-a', 'ProjectCreated', {
  projectId: 'a',
  payerId: 1,
  apiKey: { subject: 'a', sealed: '' },
  preset: false,
  settings: {
    title: 'Shop',
    url: 'https://shop.example',
    period: '5 minutes',
    uptimeUrl: 'https://shop.example',
    uptimePeriod: 'false',
    location: 'eu',
    checkDefaultErrors: true,
    userAgent: 'Watchledger',
    timeout: 3,
    delay: 50,
    sslAlertPeriod: 14,
    httpsRedirectEnabled: true,
    webPushEnabled: false,
    securityMonitoringEnabled: false,
  },
});
const renamed = occurred('project-a', 'ProjectRenamed', { from: 'Shop', to: 'Store' });

describe('titles', () => {
  it('have the latest title and the number of changes', async () => {
    const spec = viewSpec(titles, database.pool);
    await spec.given([created, renamed]).thenRows({ a: { title: 'Store', renamed: 1 } });
    await spec.given([created, renamed, deleted]).thenRows({});
    await spec.given([created, renamed, deleted]).thenRowsAsOf(1, 'project-a', { a: { title: 'Store', renamed: 1 } });
  });

  it.each(projectionContract(titles).map((law) => [law.says, law] as const))('%s', async (_says, law) => {
    await law.check([created, renamed, deleted], database.pool);
  });
});
