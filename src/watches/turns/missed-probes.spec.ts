import { beforeEach, describe, expect, it } from '@jest/globals';
import { checkerOf, watchedProject } from '../../../test/support/watched-project.ts';
import { lastOccurrence, type Recurrence } from '../../kernel/recurrence.ts';
import type { SampleOutcome } from '../../platform/observations/samples/sample.ts';
import type { Lease } from '../../platform/postgres/leases.ts';
import { resumeProbes } from './missed-probes.ts';
import { siteTurn } from './site-look.ts';
import { uptimeTurns } from './uptime-watch.ts';

const PERIOD = 15_000;
const watched = watchedProject({ uptimePeriod: '15' });
const [turn] = uptimeTurns(watched);
const DUE = lastOccurrence(turn as Recurrence, Date.UTC(2026, 0, 1));
const sample = (at: number, outcome: SampleOutcome['outcome'] = 'up'): SampleOutcome => ({
  ...{ at, outcome, periodSeconds: 15, httpStatus: outcome === 'up' ? 200 : 500, reason: '' },
});

let owned: boolean;
beforeEach(() => {
  owned = true;
});

/** The turns that a checker schedules when it takes the shard two seconds after a probe was due. */
async function scheduledAfter(samples: readonly SampleOutcome[], readingMs = 10) {
  const { checker, scheduled } = checkerOf(() => watched);
  let now = DUE + 2_000;
  await resumeProbes(['p'], now, {
    checker: { ...checker, leaseOf: () => (owned ? ({} as Lease) : undefined) },
    clock: { now: () => now },
    tail: {
      between: (_, from, to) => {
        now += readingMs;
        return samples.filter(({ at }) => at >= from && at < to);
      },
      forget: () => undefined,
    },
    sleep: () => Promise.resolve(),
  });
  return scheduled;
}

describe('the probes of a shard that was handed over', () => {
  const made = [[siteTurn('uptime', 'p'), DUE + 2_010]];

  it('include the one that was due while the shard had no owner, at once', async () => {
    expect(await scheduledAfter([sample(DUE - PERIOD)])).toEqual(made);
  });

  it('are not made twice', async () => {
    expect(await scheduledAfter([sample(DUE - PERIOD), sample(DUE)])).toEqual([]);
    expect(await scheduledAfter([sample(DUE + 1)])).toEqual([]);
    expect(await scheduledAfter([sample(DUE - PERIOD)], PERIOD)).toEqual([]);
  });

  it('are not made up for after a longer absence, or by another owner', async () => {
    expect(await scheduledAfter([sample(DUE - PERIOD - 1)])).toEqual([]);
    owned = false;
    expect(await scheduledAfter([sample(DUE - PERIOD)])).toEqual([]);
  });

  it('include the one that confirms a failure', async () => {
    const confirm = [siteTurn('uptime-again', 'p'), DUE + 5_000];
    expect(await scheduledAfter([sample(DUE - PERIOD), sample(DUE, 'down')])).toEqual([confirm]);
    expect(await scheduledAfter([sample(DUE - PERIOD, 'down'), sample(DUE, 'down')])).toEqual([]);
  });
});
