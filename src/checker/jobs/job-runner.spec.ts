import { expect, it } from '@jest/globals';
import { warnedOfLeak } from '../../../test/support/listeners.ts';
import type { Lease } from '../../base/leases.ts';
import type { JobRow } from '../../projections/job/job.view.ts';
import { JobRunner } from './job-runner.ts';

it('lets every run of a job listen to its end without a warning of a leak, and tells them all', async () => {
  const checkIds = Array.from({ length: 100 }, (_, nth) => `check ${String(nth)}`);
  const job = { request: { jobId: 'job', projectId: 'project', checkIds }, chain: null, end: null } as unknown as JobRow;
  const lease: Lease = { name: 'eu-1', epoch: 1, signal: new AbortController().signal, release: () => Promise.resolve() };
  const jobs = new JobRunner({
    commands: { execute: () => Promise.reject(new Error('nothing ends here')) },
    runs: { ofJob: () => Promise.resolve([]) },
    clock: { now: () => 0 },
    wake: { ring: () => undefined },
    sleep: () => Promise.resolve(),
  });
  const signals = new Set<AbortSignal>();
  let running = 0;
  let allRun: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => (allRun = resolve));
  jobs.start(job, lease, (_, { signal }) => {
    return new Promise((resolve) => {
      signal.addEventListener('abort', () => {
        running--;
        resolve({ kind: 'lost' });
      });
      signals.add(signal);
      if (++running === checkIds.length) allRun();
    });
  });
  await begun;
  expect([...signals].map(warnedOfLeak)).toEqual([false]);
  jobs.ended('job');
  await jobs.settle();
  expect(running).toBe(0);
});
