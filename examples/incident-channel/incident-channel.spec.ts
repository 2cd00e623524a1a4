import { describe, it } from '@jest/globals';
import { type Events, occurred, reactorSpec } from 'watchledger/projection';
import reactor from './incident-channel.reactor.ts';

const failure = (text: string): Events['CheckFailed'] => ({
  checkId: 'check',
  since: '2026-11-21T09:05:00.000Z',
  failing: { status: 'error', rules: ['status'], failures: [text] },
  confirmed: true,
  evidence: {
    ...{ runId: 'run', url: 'https://shop.example', at: '2026-11-21T09:05:00.000Z', location: 'eu', httpStatus: 500, milliseconds: 80 },
    page: null,
  },
});

describe('the incident channel', () => {
  it('tells what failed', async () => {
    process.env['INCIDENT_URL'] = 'https://hooks.example/incident';
    await reactorSpec(reactor)
      .given([occurred('project-a', 'CheckFailed', failure('expected status 200, got 500'))])
      .thenEffects([{ kind: 'http', summary: 'POST https://hooks.example/incident', body: '{"text":"a: expected status 200, got 500"}' }]);
  });
});
