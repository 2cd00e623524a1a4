import { beforeEach, describe, expect, it } from '@jest/globals';
import { shardOf } from '../shards.ts';
import type { MadeRun, RunStore } from './run-store.ts';

export const PROJECT = '0123456789abcdef01234567';
const [CHECK, OTHER, JOB] = ['aaaaaaaaaaaaaaaaaaaaaaaa', 'bbbbbbbbbbbbbbbbbbbbbbbb', 'cccccccccccccccccccccccc'];
const START = Date.UTC(2026, 0, 31, 23, 58);
/** The lease that the store under test must hold, with epoch 1. */
export const LEASE = shardOf('eu', PROJECT);

export const run = (seconds: number, changes: Partial<MadeRun> = {}): MadeRun => ({
  at: START + seconds * 1000,
  checkId: CHECK,
  outcome: 'ok',
  confirming: false,
  jobId: null,
  httpStatus: 200,
  failures: [],
  dns: 0,
  connect: 1.5,
  tls: 2,
  request: 0,
  waiting: 30,
  download: 4,
  total: 37.5,
  size: 20_000,
  page: 'ab'.repeat(32),
  whole: { seconds },
  latest: true,
  requested: 'aa',
  ends: null,
  ...changes,
});
const bare = ({ whole: _whole, latest: _latest, requested: _requested, ends: _ends, ...rest }: MadeRun): object => rest;

/** The behaviour of every RunStore. */
export function runStoreContract(open: () => Promise<RunStore>): void {
  let store: RunStore;
  beforeEach(async () => {
    store = await open();
  });
  const accept = (runs: readonly MadeRun[], fence = { name: LEASE, epoch: 1 }) =>
    store.accept([{ fence, observed: runs.map((item) => ({ projectId: PROJECT, item })) }]);

  describe('a store of runs', () => {
    it('returns runs in order, by time span and by check', async () => {
      const made = [
        run(120, { checkId: OTHER, outcome: 'error', failures: ['expected status 200, got 500'], page: null }),
        run(0),
        run(60, { confirming: true }),
      ];
      expect(await accept(made)).toEqual(new Set([LEASE]));
      expect(await store.between(PROJECT, START, START + 1e9)).toEqual(
        [run(0), run(60, { confirming: true }), made[0]].map((one) => bare(one ?? run(0))),
      );
      expect(await store.between(PROJECT, START + 1, START + 1e9, CHECK)).toEqual([bare(run(60, { confirming: true }))]);
    });

    it('returns the runs of many projects since an instant, as they were read', async () => {
      await accept([run(0), run(60), run(7_200)]);
      const tail = await store.tail([PROJECT, 'f'.repeat(24)], START + 60_000);
      await accept([run(7_300)]);
      expect(tail.between(PROJECT, START + 60_000, START + 1e9)).toEqual([bare(run(60)), bare(run(7_200))]);
      expect(tail.between('f'.repeat(24), START, START + 1e9)).toEqual([]);
    });

    it('writes nothing under a lost lease, neither run nor full result', async () => {
      await accept([run(0)]);
      expect(await accept([run(60, { jobId: JOB })], { name: LEASE, epoch: 0 })).toEqual(new Set());
      expect((await store.latest([{ projectId: PROJECT, checkId: CHECK }])).get(CHECK)?.whole).toEqual({ seconds: 0 });
      expect(await store.ofJob(PROJECT, JOB)).toEqual([]);
      expect(await store.between(PROJECT, START, START + 1e9)).toHaveLength(1);
    });

    it('finds the last run of each check at any instant', async () => {
      await accept([run(0), run(300), run(600), run(30, { checkId: OTHER })]);
      const last = async (seconds: number) =>
        [...(await store.lastOf(PROJECT, [CHECK, OTHER], START + seconds * 1000))].map(([id, { at }]) => [id, (at - START) / 1000]).sort();
      expect(await last(599)).toEqual([
        [CHECK, 300],
        [OTHER, 30],
      ]);
      expect(await last(600)).toEqual([
        [CHECK, 600],
        [OTHER, 30],
      ]);
      expect(await last(29)).toEqual([[CHECK, 0]]);
      expect(await last(-1)).toEqual([]);
      expect(await store.lastOf(PROJECT, [], START)).toEqual(new Map());
    });

    it('finds the last run of each check before an instant of its own', async () => {
      await accept([run(0), run(300), run(600), run(30, { checkId: OTHER }), run(7200, { checkId: OTHER })]);
      const instants = new Map([
        [CHECK, run(600).at],
        [OTHER, run(30).at],
      ]);
      expect([...(await store.lastBefore(PROJECT, instants)).values()]).toEqual([bare(run(300))]);
      expect(await store.lastBefore(PROJECT, new Map())).toEqual(new Map());
    });

    it('keeps the full result of the latest run when an earlier one arrives late', async () => {
      await accept([run(60), run(0, { whole: { seconds: 'old' } })]);
      await accept([run(30)]);
      expect([...(await store.latest([CHECK, OTHER].map((checkId) => ({ projectId: PROJECT, checkId })))).values()]).toEqual([
        { checkId: CHECK, at: START + 60_000, whole: { seconds: 60 } },
      ]);
      await accept([run(90, { latest: false })]);
      expect((await store.latest([{ projectId: PROJECT, checkId: CHECK }])).get(CHECK)?.at).toBe(START + 60_000);
    });

    it('knows whether every passing run of a request has ended with </html>', async () => {
      const known = () => Promise.all([store.haveEnded(PROJECT, 'aa', CHECK), store.haveEnded(PROJECT, 'aa', null)]);
      expect(await known()).toEqual([false, false]);
      const steps: readonly (readonly [changes: Partial<MadeRun>, isKnown: boolean])[] = [
        [{}, false],
        [{ ends: true }, true],
        [{ outcome: 'error', endExpected: true }, true],
        [{ ends: true }, true],
        [{ ends: false }, false],
        // One passing run without it is enough, until another page is requested.
        [{ ends: true }, false],
        [{ requested: 'bb', ends: true }, false],
        [{ requested: 'aa' }, false],
        [{ ends: true }, true],
        [{ ends: false, latest: false }, true],
      ];
      for (const [index, [changes, isKnown]] of steps.entries()) {
        await accept([run(index, changes)]);
        expect([index, await known()]).toEqual([index, [isKnown, isKnown]]);
      }
      expect(await store.haveEnded(PROJECT, 'aa', OTHER)).toBe(false);
      expect((await store.between(PROJECT, START, START + 1e9)).map(({ endExpected }) => endExpected)).toContain(true);
    });

    it('keeps the runs of a job, a confirming run in place of the first', async () => {
      await accept([run(0, { jobId: JOB }), run(1, { jobId: JOB, checkId: OTHER })]);
      await accept([run(20, { jobId: JOB, checkId: OTHER, whole: { confirmed: true } }), run(21)]);
      expect((await store.ofJob(PROJECT, JOB)).map(({ checkId, whole }) => [checkId, whole])).toEqual([
        [CHECK, { seconds: 0 }],
        [OTHER, { confirmed: true }],
      ]);
      expect(await store.inJobs({ projectId: PROJECT, checkId: OTHER }, [JOB, CHECK])).toEqual([
        { checkId: OTHER, at: START + 20_000, whole: { confirmed: true } },
      ]);
      expect(await store.inJobs({ projectId: PROJECT, checkId: OTHER }, [])).toEqual([]);
    });
  });
}
