import { beforeEach, describe, expect, it } from '@jest/globals';
import { sampleAt } from '../../../../test/support/observations/sample.ts';
import { shardOf } from '../shards.ts';
import type { Sample } from './sample.ts';
import type { SampleStore } from './sample-store.ts';

const PROJECT = '0123456789abcdef01234567';
const START = Date.UTC(2026, 0, 31, 23, 58);
const LATER = `ff${PROJECT.slice(2)}`;
const LEASE = shardOf('eu', PROJECT);
/** The leases that the store under test must hold, with epoch 1. */
export const LEASES = [LEASE, shardOf('eu', LATER)];

const sample = (seconds: number, changes: Partial<Sample> = {}): Sample =>
  sampleAt(START + seconds * 1000, { connect: 1.5, total: 37.5, ...changes });

/** The behaviour of every SampleStore. */
export function sampleStoreContract(open: () => Promise<SampleStore>): void {
  let store: SampleStore;
  beforeEach(async () => {
    store = await open();
  });
  const accept = (samples: readonly Sample[], fence = { name: LEASE, epoch: 1 }) =>
    store.accept([{ fence, observed: samples.map((item) => ({ projectId: PROJECT, item })) }]);

  describe('a store of samples', () => {
    it('returns samples in order, with and without phases', async () => {
      const failing = sample(120, { outcome: 'timeout', httpStatus: 0, reason: 'no whole answer in time' });
      expect(await accept([failing, sample(0), sample(60)])).toEqual(new Set([LEASE]));
      expect(await store.between(PROJECT, START, START + 120_000)).toEqual([sample(0), sample(60)]);
      const { at, outcome, periodSeconds, httpStatus, reason } = failing;
      expect(await store.outcomes(PROJECT, START + 61_000, START + 1e9)).toMatchObject([
        { at, outcome, periodSeconds, httpStatus, reason },
      ]);
      expect(await store.between('f'.repeat(24), START, START + 1e9)).toEqual([]);
    });

    it('writes nothing under a lost lease', async () => {
      expect(await accept([sample(0)], { name: LEASE, epoch: 0 })).toEqual(new Set());
      expect(await store.between(PROJECT, START, START + 1e9)).toEqual([]);
    });

    it('returns the outcomes of many projects since an instant, as they were read', async () => {
      const other = '01ffffffffffffffffffffff';
      const far = 3_600_000;
      await accept([sample(0), sample(60), sample(120)]);
      await store.accept([{ fence: { name: shardOf('eu', LATER), epoch: 1 }, observed: [{ projectId: LATER, item: sample(60) }] }]);
      const tail = await store.tail([PROJECT, other, LATER], START + 60_000);
      await accept([sample(180)]);
      const seconds = (projectId: string, from = START, to = START + far) =>
        tail.between(projectId, from, to).map(({ at }) => (at - START) / 1_000);
      expect([seconds(PROJECT).filter((at) => at > 0), seconds(other), seconds(LATER)]).toEqual([[60, 120], [], [60]]);
      expect(seconds(PROJECT, START + 61_000, START + 120_000)).toEqual([]);
      tail.forget(PROJECT);
      expect(seconds(PROJECT)).toEqual([]);
    });

    it('keeps the one accepted later of two at one instant', async () => {
      await accept([sample(0)]);
      await accept([sample(0, { outcome: 'down' })]);
      expect((await store.between(PROJECT, START, START + 1)).map(({ outcome }) => outcome)).toEqual(['down']);
    });

    it('finds the last sample at any instant', async () => {
      await accept([sample(0), sample(3600), sample(30_000)]);
      const last = async (seconds: number) => ((await store.last(PROJECT, START + seconds * 1000))?.at ?? NaN) - START;
      expect([await last(1e6), await last(29_999), await last(3600), await last(0), await last(-1)]).toEqual([3e7, 3.6e6, 3.6e6, 0, NaN]);
    });
  });
}
