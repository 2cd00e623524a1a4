import { expect, it } from '@jest/globals';
import { hasListenerLeakWarning } from '../../../test/support/listener-leak.ts';
import type { Lease } from '../../platform/postgres/leases.ts';
import type { JobRow } from '../jobs/job.view.ts';
import { JobRunner } from './job-runner.ts';

const lease: Lease = { name: 'eu-1', epoch: 1, signal: new AbortController().signal, release: () => Promise.resolve() };
const jobOf = (checkIds: readonly string[]): JobRow =>
  ({ request: { jobId: 'job', projectId: 'project', checkIds }, chain: null, end: null }) as unknown as JobRow;

it('does not repeat an inconclusive run that was stored nevertheless', async () => {
  const executed: string[] = [];
  const ended: unknown[] = [];
  const jobs = new JobRunner({
    commands: {
      execute: (command: unknown) => {
        ended.push(command);
        return Promise.resolve();
      },
    },
    runs: { ofJob: () => Promise.resolve(executed.map((checkId) => ({ checkId, at: 0, whole: { status: 'ok' } }))) },
    clock: { now: () => 0 },
    wake: { ring: () => undefined },
    sleep: () => Promise.resolve(),
  });
  jobs.start(jobOf(['one', 'other']), lease, (checkId) => {
    executed.push(checkId);
    return Promise.resolve({ kind: 'inconclusive', reason: 'not acknowledged' });
  });
  await jobs.waitUntilIdle();
  expect(executed).toEqual(['one', 'other']);
  expect(ended).toHaveLength(1);
});

it('waits with a postponed run, however often it is postponed, so that a full queue costs a job no result', async () => {
  const postponed = new Map([
    ['one', 0],
    ['other', 7],
  ]);
  const executed: string[] = [];
  const jobs = new JobRunner({
    commands: { execute: () => Promise.resolve() },
    runs: { ofJob: () => Promise.resolve(executed.map((checkId) => ({ checkId, at: 0, whole: { status: 'ok' } }))) },
    clock: { now: () => 0 },
    wake: { ring: () => undefined },
    sleep: () => Promise.resolve(),
  });
  jobs.start(jobOf(['one', 'other']), lease, (checkId) => {
    const left = postponed.get(checkId) ?? 0;
    postponed.set(checkId, left - 1);
    if (left > 0) return Promise.resolve({ kind: 'postponed', reason: 'full' });
    executed.push(checkId);
    return Promise.resolve({ kind: 'recorded', status: 'ok', needsConfirmation: false });
  });
  await jobs.waitUntilIdle();
  expect(executed.sort()).toEqual(['one', 'other']);
});

it('aborts every run of a cancelled job, without a warning about a listener leak', async () => {
  const checkIds = Array.from({ length: 100 }, (_, nth) => `check ${String(nth)}`);
  const jobs = new JobRunner({
    commands: { execute: () => Promise.reject(new Error('no job ends in this test')) },
    runs: { ofJob: () => Promise.resolve([]) },
    clock: { now: () => 0 },
    wake: { ring: () => undefined },
    sleep: () => Promise.resolve(),
  });
  const signals = new Set<AbortSignal>();
  let running = 0;
  let allRun: () => void = () => undefined;
  const started = new Promise<void>((resolve) => (allRun = resolve));
  jobs.start(jobOf(checkIds), lease, (_, { signal }) => {
    return new Promise((resolve) => {
      signal.addEventListener('abort', () => {
        running--;
        resolve({ kind: 'leaseLost' });
      });
      signals.add(signal);
      if (++running === checkIds.length) allRun();
    });
  });
  await started;
  expect([...signals].map(hasListenerLeakWarning)).toEqual([false]);
  jobs.cancel('job');
  await jobs.waitUntilIdle();
  expect(running).toBe(0);
});
