import { beforeEach, describe, expect, it } from '@jest/globals';
import type { CommandBus } from '@nestjs/cqrs';
import { MemoryViews } from '../../../test/support/memory-views.ts';
import { Handling } from '../../commands/handle.ts';
import { type RecordRun, RecordRunHandler } from '../../commands/verdict/record-run.command.ts';
import type { AcceptedRun } from '../../domain/verdict/recent-runs.ts';
import { MemoryEventStore } from '../../event-store/memory/memory-event-store.ts';
import { MemoryRuns } from '../../observations/memory/memory-runs.ts';
import type { MadeRun } from '../../observations/runs/run-store.ts';
import { Locks } from '../schedule/locks.ts';
import { withDecision } from './accepted-run.ts';
import { Undecided } from './undecided.ts';
import { VerdictKeeper } from './verdict-keeper.ts';

const [PROJECT, CHECK] = ['0123456789abcdef01234567', 'aaaaaaaaaaaaaaaaaaaaaaaa'];
const START = Date.UTC(2026, 0, 1);

let store: MemoryEventStore;
let runs: MemoryRuns;
let handler: RecordRunHandler;
beforeEach(() => {
  store = new MemoryEventStore();
  runs = new MemoryRuns(() => true);
  handler = new RecordRunHandler(new Handling(store, { check: () => undefined }));
});

/** A checker process: what it remembers dies with it. */
function checker(): { readonly verdicts: VerdictKeeper; readonly undecided: Undecided } {
  const commands = { execute: (command: RecordRun) => handler.execute(command) } as unknown as CommandBus;
  const verdicts = new VerdictKeeper({ commands, runs, clock: { now: () => START } });
  const locks = new Locks();
  const alone = <T>(checkId: string, work: () => Promise<T>): Promise<T> => locks.alone(checkId, work);
  return { verdicts, undecided: new Undecided({ views: new MemoryViews(() => store.events), verdicts, alone }) };
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
    ...{ at, checkId: CHECK, outcome, confirming, jobId: null, httpStatus: 200, failures, page: null, latest: true, whole },
    ...{ dns: 0, connect: 0, tls: 0, request: 0, waiting: 0, download: 0, total: 0, size: 0 },
  };
  await runs.accept([{ fence: { name: 'eu-1', epoch: 1 }, observed: [{ projectId: PROJECT, item }] }]);
  return { at, failing, evidence };
}

const told = (): readonly string[] => store.events.map(({ type }) => type).filter((type) => type !== 'RunStarted');
const check = { projectId: PROJECT, checkId: CHECK };
const decided = async (seconds: number, outcome: 'ok' | 'error', by = checker()): Promise<unknown> =>
  by.verdicts.record({ ...check, run: await accept(seconds, outcome), confirming: false, chain: null });

describe('what a dead checker left undecided', () => {
  it('is suspected by the next one, which has it confirmed', async () => {
    await decided(0, 'ok');
    const run = await accept(300, 'error');
    const next = checker();
    expect(await next.undecided.decide([check], await runs.latest([CHECK]))).toEqual([{ ...check, since: run.at }]);
    expect(told()).toEqual(['CheckPassed', 'CheckSuspected']);
    const { suspect } = await next.verdicts.record({ ...check, run: await accept(320, 'error'), confirming: true, chain: null });
    expect(suspect).toBe(false);
    expect(told()).toEqual(['CheckPassed', 'CheckSuspected', 'CheckFailed']);
    expect(store.events.at(-1)?.data).toMatchObject({
      confirmed: true,
      since: '2026-01-01T00:05:00.000Z',
      failing: { rules: ['own status eq 0'] },
    });
  });

  it('is confirmed when it was the second run', async () => {
    await decided(0, 'ok');
    await decided(300, 'error');
    await accept(320, 'error', true);
    expect(await checker().undecided.decide([check], await runs.latest([CHECK]))).toEqual([]);
    expect(told()).toEqual(['CheckPassed', 'CheckSuspected', 'CheckFailed']);
  });

  it('is a recovery when it passed, and a first verdict when there was none', async () => {
    await accept(0, 'error');
    await checker().undecided.decide([check], await runs.latest([CHECK]));
    await accept(300, 'ok');
    await checker().undecided.decide([check], await runs.latest([CHECK]));
    expect(told()).toEqual(['CheckFailed', 'CheckRecovered']);
  });

  it('adds nothing however often it is looked at, nor when it had been decided from', async () => {
    await decided(0, 'ok');
    await decided(300, 'error');
    for (let round = 0; round < 3; round++) await checker().undecided.decide([check], await runs.latest([CHECK]));
    await accept(320, 'ok');
    for (let round = 0; round < 3; round++) await checker().undecided.decide([check], await runs.latest([CHECK]));
    expect(told()).toEqual(['CheckPassed', 'CheckSuspected', 'CheckSuspicionCleared']);
  });

  it('is passed over when the check was looked at meanwhile', async () => {
    const next = checker();
    await accept(0, 'error');
    await decided(300, 'ok', next);
    expect(next.verdicts.hasSeen(CHECK, START)).toBe(true);
    expect(await next.undecided.decide([check], await runs.latest([CHECK]))).toEqual([]);
    expect(told()).toEqual(['CheckPassed']);
  });

  it('does not stand in its own way when the store was asked after it was accepted', async () => {
    await decided(0, 'ok');
    await decided(300, 'error');
    const next = checker();
    const confirming = await accept(320, 'error', true);
    // Another check of the project is recorded first, so that the fold already holds the confirming run.
    await next.verdicts.record({
      ...check,
      checkId: 'b'.repeat(24),
      run: { ...confirming, at: confirming.at + 1 },
      confirming: false,
      chain: null,
    });
    await next.verdicts.record({ ...check, run: confirming, confirming: true, chain: null });
    expect(told().at(-1)).toBe('CheckFailed');
    expect(told().filter((type) => type === 'CheckFailed')).toHaveLength(2);
  });
});
