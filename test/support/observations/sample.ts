import type { Sample } from '../../../src/platform/observations/samples/sample.ts';

/** A sample of a site that was up, with the given changes. */
export const sampleAt = (at: number, changes: Partial<Sample> = {}): Sample => ({
  at,
  outcome: 'up',
  periodSeconds: 60,
  httpStatus: 200,
  reason: null,
  dns: 0,
  connect: 1,
  tls: 2,
  request: 0,
  waiting: 30,
  download: 4,
  total: 37,
  ...changes,
});
