import { expect, it } from '@jest/globals';
import { MemoryViews } from '../../../test/support/memory-views.ts';
import { MemoryEventStore } from '../../../test/support/memory/memory-event-store.ts';
import { MemoryRuns } from '../../../test/support/memory/memory-runs.ts';
import { KeyParked } from '../../platform/read-models/views/views.ts';
import { runsWithoutVerdictContract } from './runs-without-verdict.contract.ts';
import { RunsWithoutVerdict } from './runs-without-verdict.ts';
import { withDecision } from './stored-decision.ts';

runsWithoutVerdictContract(() => {
  const store = new MemoryEventStore();
  return Promise.resolve({
    store,
    runs: new MemoryRuns(() => true),
    events: () => Promise.resolve(store.events),
    views: () => Promise.resolve(new MemoryViews(() => store.events)),
  });
});

it('decides although a verdict of the shard is parked', async () => {
  const at = Date.UTC(2026, 0, 1);
  const evidence = {
    ...{ runId: 'r', url: 'https://site.example/', at: new Date(at).toISOString(), location: 'eu' },
    ...{ httpStatus: 500, milliseconds: 1, page: null },
  };
  const failing = { status: 'error', rules: ['own status eq 0'], failures: ['expected status 200, got 500'] } as const;
  const whole = withDecision({}, { failing, evidence, confirming: false, chain: null });
  const withoutVerdict = new RunsWithoutVerdict({
    views: {
      many: (view, [key = ''], parked) =>
        parked === 'as before' ? Promise.resolve(new Map()) : Promise.reject(new KeyParked(view.name, key)),
    },
    verdicts: { hasDecided: () => false, record: () => Promise.resolve({ changed: false, needsConfirmation: true }) },
    runExclusive: (_, work) => work(),
  });
  const check = { projectId: 'p', checkId: 'c' };
  expect(await withoutVerdict.decide([check], new Map([['c', { checkId: 'c', at, whole }]]))).toEqual([{ ...check, since: at }]);
});
