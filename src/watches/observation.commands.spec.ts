import { beforeEach, describe, expect, it } from '@jest/globals';
import { type AcceptedRun, noRecentRuns, observeRun, type RecentRuns } from '../checker/verdicts/recent-runs.ts';
import { MemoryEventStore } from '../../test/support/memory/memory-event-store.ts';
import type { LogEvent } from '../kernel/event.ts';
import { systemContext } from '../platform/commands/context.ts';
import { CommandRunner } from '../platform/commands/command-runner.ts';
import { RecordRun, RecordRunHandler } from '../checker/verdicts/verdict.commands.ts';

const failing = { status: 'error', rules: ['status'], failures: ['expected status 200, got 500'] } as const;

let store: MemoryEventStore;
let handler: RecordRunHandler;
let recent: RecentRuns;
beforeEach(() => {
  store = new MemoryEventStore();
  handler = new RecordRunHandler(new CommandRunner(store));
  recent = noRecentRuns;
});

/** One run, and what was written of it: each with the event that caused it. */
async function run(
  seconds: number,
  outcome: 'ok' | 'error',
  how: { confirming?: boolean; job?: LogEvent } = {},
): Promise<readonly string[]> {
  const at = seconds * 1_000;
  const evidence = {
    runId: String(seconds),
    url: '/',
    at: new Date(at).toISOString(),
    location: 'eu',
    httpStatus: 200,
    milliseconds: 1,
    page: null,
  };
  const made: AcceptedRun = { at, failing: outcome === 'ok' ? null : failing, evidence };
  const chain = how.job === undefined ? null : { correlationId: how.job.meta.correlationId, causationId: how.job.id };
  const context = systemContext({ kind: 'checker', id: 'eu' }, at, { chain });
  const before = store.events.length;
  await handler.execute(
    new RecordRun(context, {
      recent,
      run: made,
      origin: { projectId: 'p', checkId: 'c', confirming: how.confirming ?? false, chained: false },
    }),
  );
  recent = observeRun(recent, made);
  return store.events
    .slice(before)
    .map(({ type, meta }) => `${type} < ${store.events.find(({ id }) => id === meta.causationId)?.type ?? 'nothing'}`);
}
const roots = (): number => new Set(store.events.map(({ meta }) => meta.correlationId)).size;

describe('the chain of a verdict', () => {
  beforeEach(async () => {
    expect(await run(0, 'ok')).toEqual(['RunStarted < nothing', 'CheckPassed < RunStarted']);
  });

  it('leads from the run that suspected through the one that confirmed', async () => {
    expect(await run(60, 'error')).toEqual(['RunStarted < nothing', 'CheckSuspected < RunStarted']);
    expect(await run(80, 'error', { confirming: true })).toEqual(['CheckFailed < CheckSuspected']);
    expect(await run(120, 'ok')).toEqual(['RunStarted < nothing', 'CheckRecovered < RunStarted']);
    expect(roots()).toBe(3);
  });

  it('leads to the run that cleared the suspicion, when that was made for it; any other has a root of its own', async () => {
    await run(60, 'error');
    expect(await run(80, 'ok', { confirming: true })).toEqual(['CheckSuspicionCleared < CheckSuspected']);
    await run(120, 'error');
    expect(await run(140, 'ok')).toEqual(['RunStarted < nothing', 'CheckSuspicionCleared < RunStarted']);
  });

  it('begins with the job that the run belongs to', async () => {
    const [job] = store.events;
    expect(await run(60, 'error', job === undefined ? {} : { job })).toEqual(['CheckSuspected < RunStarted']);
    expect(roots()).toBe(1);
  });

  it('has nothing of a run that changed nothing', async () => {
    expect(await run(60, 'ok')).toEqual([]);
  });
});
