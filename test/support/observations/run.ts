import type { Run } from '../../../src/platform/observations/runs/run.ts';

/** A run that passed, with the given changes. */
export const runAt = (at: number, changes: Partial<Run> = {}): Run => ({
  at,
  checkId: '0123456789abcdef01234567',
  outcome: 'ok',
  confirming: false,
  jobId: null,
  httpStatus: 200,
  failures: [],
  ...{ dns: 1, connect: 2, tls: 3, request: 0.5, waiting: 30, download: 4, total: 40.5 },
  size: 1_000,
  page: null,
  ...changes,
});
