import type { Sample } from '../../../src/observations/samples/sample.ts';

/** Of a site that was up, for a spec that says only what matters to it. */
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
