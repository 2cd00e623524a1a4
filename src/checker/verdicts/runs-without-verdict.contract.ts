import { beforeEach, describe, expect, it } from '@jest/globals';
import type { CommandBus } from '@nestjs/cqrs';
import { CommandRunner } from '../../platform/commands/command-runner.ts';
import { type RecordRun, RecordRunHandler } from './verdict.commands.ts';
import type { AcceptedRun } from './recent-runs.ts';
import type { EventStore } from '../../platform/event-store/event-store.ts';
import type { LogEvent } from '../../kernel/event.ts';
import { randomId } from '../../kernel/ids.ts';
import type { MadeRun, RunStore } from '../../platform/observations/runs/run-store.ts';
import type { Views } from '../../platform/read-models/views/views.ts';
import { KeyedMutex } from '../../kernel/keyed-mutex.ts';
import { RunsWithoutVerdict } from './runs-without-verdict.ts';
import { withDecision } from './stored-decision.ts';
import { VerdictKeeper } from './verdict-keeper.ts';

export interface RunsWithoutVerdictStores {
  readonly store: EventStore;
  /** It takes runs under the first epoch of the lease `eu-1`. */
  readonly runs: RunStore;
  readonly events: () => Promise<readonly LogEvent[]>;
  /** Up to date with the log. */
  readonly views: () => Promise<Pick<Views, 'many'>>;
}

const START = Date.UTC(2026, 0, 1);
const hex = (): string => randomId().replaceAll('-', '').slice(0, 24);

/** Recovery of undecided runs, over any event store and run store. */
export function runsWithoutVerdictContract(open: () => Promise<RunsWithoutVerdictStores>): void {
  let stores: RunsWithoutVerdictStores;
  let handler: RecordRunHandler;
  let check: { readonly projectId: string; readonly checkId: string };
  beforeEach(async () => {
    stores = await open();
    handler = new RecordRunHandler(new CommandRunner(stores.store));
    check = { projectId: hex(), checkId: hex() };
  });

  /** A fresh checker process. */
  async function checker(): Promise<{ readonly verdicts: VerdictKeeper; readonly withoutVerdict: RunsWithoutVerdict }> {
    const commands = { execute: (command: RecordRun) => handler.execute(command) } as unknown as CommandBus;
    const verdicts = new VerdictKeeper({ commands, runs: stores.runs, clock: { now: () => START }, sleep: () => Promise.resolve() });
    const mutex = new KeyedMutex();
    const runExclusive = <Result>(checkId: string, work: () => Promise<Result>): Promise<Result> => mutex.runExclusive(checkId, work);
    return { verdicts, withoutVerdict: new RunsWithoutVerdict({ views: await stores.views(), verdicts, runExclusive }) };
  }

  async function accept(seconds: number, outcome: 'ok' | 'error', confirming = false): Promise<AcceptedRun> {
    const at = START + seconds * 1000;
    const failures = outcome === 'ok' ? [] : ['expected status 200, got 500'];
    const evidence = {
      ...{ runId: 'r', url: 'https://site.example/', at: new Date(at).toISOString(), location: 'eu' },
      ...{ httpStatus: 200, milliseconds: 1, page: null },
    };
    const failing = outcome === 'ok' ? null : ({ status: 'error', rules: ['own status eq 0'], failures } as const);
    const whole = withDecision({}, { failing, evidence, confirming, chain: null });
    const item: MadeRun = {
      ...{ at, checkId: check.checkId, outcome, confirming, jobId: null, httpStatus: 200, failures, page: null, latest: true, whole },
      ...{ requested: 'aa', ends: null },
      ...{ dns: 0, connect: 0, tls: 0, request: 0, waiting: 0, download: 0, total: 0, size: 0 },
    };
    await stores.runs.accept([{ fence: { name: 'eu-1', epoch: 1 }, observed: [{ projectId: check.projectId, item }] }]);
    return { at, failing, evidence };
  }

  const written = async () =>
    (await stores.events()).filter(({ scope, type }) => scope === `project-${check.projectId}` && type !== 'RunStarted');
  const eventTypes = async (): Promise<readonly string[]> => (await written()).map(({ type }) => type);
  const latest = () => stores.runs.latest([check]);
  const decided = async (seconds: number, outcome: 'ok' | 'error', by?: VerdictKeeper): Promise<unknown> =>
    (by ?? (await checker()).verdicts).record({ ...check, run: await accept(seconds, outcome), confirming: false, chain: null });

  describe('a run that a dead checker stored without deciding', () => {
    it('is suspected by the next checker, which has it confirmed', async () => {
      await decided(0, 'ok');
      const run = await accept(300, 'error');
      const next = await checker();
      expect(await next.withoutVerdict.decide([check], await latest())).toEqual([{ ...check, since: run.at }]);
      expect(await eventTypes()).toEqual(['CheckPassed', 'CheckSuspected']);
      const { needsConfirmation } = await next.verdicts.record({
        ...check,
        run: await accept(320, 'error'),
        confirming: true,
        chain: null,
      });
      expect(needsConfirmation).toBe(false);
      expect(await eventTypes()).toEqual(['CheckPassed', 'CheckSuspected', 'CheckFailed']);
      expect((await written()).at(-1)?.data).toMatchObject({
        confirmed: true,
        since: '2026-01-01T00:05:00.000Z',
        failing: { rules: ['own status eq 0'] },
      });
    });

    it('confirms the suspicion when it was the second run', async () => {
      await decided(0, 'ok');
      await decided(300, 'error');
      await accept(320, 'error', true);
      expect(await (await checker()).withoutVerdict.decide([check], await latest())).toEqual([]);
      expect(await eventTypes()).toEqual(['CheckPassed', 'CheckSuspected', 'CheckFailed']);
    });

    it('is a recovery if it passed, and the first verdict if there was none', async () => {
      await accept(0, 'error');
      await (await checker()).withoutVerdict.decide([check], await latest());
      await accept(300, 'ok');
      await (await checker()).withoutVerdict.decide([check], await latest());
      expect(await eventTypes()).toEqual(['CheckFailed', 'CheckRecovered']);
    });

    it('adds nothing when decided repeatedly', async () => {
      await decided(0, 'ok');
      await decided(300, 'error');
      for (let round = 0; round < 3; round++) await (await checker()).withoutVerdict.decide([check], await latest());
      await accept(320, 'ok');
      for (let round = 0; round < 3; round++) await (await checker()).withoutVerdict.decide([check], await latest());
      expect(await eventTypes()).toEqual(['CheckPassed', 'CheckSuspected', 'CheckSuspicionCleared']);
    });

    it('is skipped when a newer run has been decided', async () => {
      const next = await checker();
      await accept(0, 'error');
      await decided(300, 'ok', next.verdicts);
      expect(next.verdicts.hasDecided(check.projectId, check.checkId, START)).toBe(true);
      expect(await next.withoutVerdict.decide([check], await latest())).toEqual([]);
      expect(await eventTypes()).toEqual(['CheckPassed']);
    });

    it('is decided by the runs before it even if the store was read after it was stored', async () => {
      await decided(0, 'ok');
      await decided(300, 'error');
      const next = await checker();
      const confirming = await accept(320, 'error', true);
      // Another check of the project is recorded first, so that the fold already holds the confirming run.
      await next.verdicts.record({
        ...check,
        checkId: hex(),
        run: { ...confirming, at: confirming.at + 1 },
        confirming: false,
        chain: null,
      });
      await next.verdicts.record({ ...check, run: confirming, confirming: true, chain: null });
      expect((await eventTypes()).at(-1)).toBe('CheckFailed');
      expect((await eventTypes()).filter((type) => type === 'CheckFailed')).toHaveLength(2);
    });
  });
}
