import { beforeEach, describe, expect, it } from '@jest/globals';
import type { CommandBus } from '@nestjs/cqrs';
import { CommandRunner } from '../../platform/commands/command-runner.ts';
import { type RecordRun, RecordRunHandler } from './verdict.commands.ts';
import { MemoryEventStore } from '../../../test/support/memory/memory-event-store.ts';
import { MemoryRuns } from '../../../test/support/memory/memory-runs.ts';
import { type RecordedVerdict, VerdictKeeper } from './verdict-keeper.ts';

const START = Date.UTC(2026, 0, 1);
const MINUTE = 60;

const sleep = (): Promise<void> => Promise.resolve();

let store: MemoryEventStore;
let runs: MemoryRuns;
let keeper: VerdictKeeper;
beforeEach(() => {
  store = new MemoryEventStore();
  runs = new MemoryRuns(() => true);
  const handler = new RecordRunHandler(new CommandRunner(store));
  const commands = { execute: (command: RecordRun) => handler.execute(command) } as unknown as CommandBus;
  keeper = new VerdictKeeper({ commands, runs, clock: { now: () => START }, sleep });
});

async function run(checkId: string, seconds: number, outcome: 'ok' | 'error', recorded = true): Promise<RecordedVerdict | null> {
  const at = START + seconds * 1000;
  const failures = outcome === 'ok' ? [] : ['expected status 200, got 500'];
  const evidence = {
    ...{ runId: 'r', url: 'https://site.example/', at: new Date(at).toISOString(), location: 'eu' },
    ...{ httpStatus: 200, milliseconds: 1, page: null },
  };
  const times = { dns: 0, connect: 0, tls: 0, request: 0, waiting: 0, download: 0, total: 0, size: 0 };
  const seen = {
    confirming: false,
    jobId: null,
    httpStatus: 200,
    failures,
    page: null,
    latest: true,
    whole: {},
    requested: 'aa',
    ends: null,
  };
  await runs.accept([
    { fence: { name: 'eu-1', epoch: 1 }, observed: [{ projectId: 'p', item: { at, checkId, outcome, ...seen, ...times } }] },
  ]);
  const failing = outcome === 'ok' ? null : ({ status: 'error', rules: ['own status eq 0'], failures } as const);
  return recorded ? keeper.record({ projectId: 'p', checkId, run: { at, failing, evidence }, confirming: false, chain: null }) : null;
}

const eventTypes = (checkId: string): readonly string[] =>
  store.events
    .filter(({ type, data }) => type !== 'RunStarted' && (data as { checkId?: unknown }).checkId === checkId)
    .map(({ type }) => type);

describe('a failed recording', () => {
  it('does not count a failure of another check twice', async () => {
    await run('other', 0, 'ok');
    for (let time = 1; time <= 4; time++) {
      await run('other', time * 2 * MINUTE, 'error');
      await run('other', time * 2 * MINUTE + 15, 'ok');
    }
    keeper.doubt('p', 'one');
    await run('one', 9 * MINUTE, 'ok');
    await run('other', 10 * MINUTE, 'error');
    await run('other', 10 * MINUTE + 15, 'ok');
    expect(eventTypes('other')).not.toContain('CheckInstabilityOpened');
  });

  it('does not undo a later verdict of another check', async () => {
    await run('other', 0, 'ok');
    await run('other', 20, 'error');
    keeper.doubt('p', 'one');
    // Seen before the failure of the other, written after it.
    await run('one', 10, 'ok');
    await run('other', 40, 'error');
    expect(eventTypes('other')).toEqual(['CheckPassed', 'CheckSuspected', 'CheckFailed']);
  });

  it('is repeated with the runs stored in between', async () => {
    await run('one', 0, 'ok');
    await run('one', 20, 'error', false);
    keeper.doubt('p', 'one');
    await run('one', 60, 'error');
    expect(eventTypes('one')).toEqual(['CheckPassed', 'CheckFailed']);
  });
});

it('forgets deleted checks and projects', async () => {
  await run('one', 0, 'ok');
  await run('other', 0, 'ok');
  keeper.forgetCheck('p', 'one');
  expect([keeper.size, keeper.hasDecided('p', 'one', START), keeper.hasDecided('p', 'other', START)]).toEqual([1, false, true]);
  keeper.forgetProject('p');
  expect([keeper.size, keeper.hasDecided('p', 'other', START)]).toEqual([0, false]);
});

it('reads the store again after an error, and counts nothing twice', async () => {
  let reads = 0;
  const between: MemoryRuns['between'] = (...given) => (++reads === 1 ? Promise.reject(new Error('unavailable')) : runs.between(...given));
  const tail: MemoryRuns['tail'] = () => Promise.reject(new Error('unavailable'));
  const handler = new RecordRunHandler(new CommandRunner(store));
  const commands = { execute: (command: RecordRun) => handler.execute(command) } as unknown as CommandBus;
  await run('one', 0, 'ok');
  await run('one', 20, 'error');
  keeper = new VerdictKeeper({ commands, runs: { between, tail }, clock: { now: () => START }, sleep });
  const both = await Promise.allSettled([run('one', 40, 'error'), run('other', 40, 'ok')]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await run('one', 60, 'error');
  expect(reads).toBe(2);
  expect(eventTypes('one')).toEqual(['CheckPassed', 'CheckSuspected', 'CheckFailed']);
});

describe('the projects of a shard that was taken over', () => {
  /** A new owner after a run that failed, and the reads that it makes. */
  async function newOwner(tailFails: boolean) {
    const reads = { tails: 0, projects: 0 };
    await run('one', 0, 'ok');
    await run('one', 20, 'error');
    const between: MemoryRuns['between'] = (...given) => {
      reads.projects++;
      return runs.between(...given);
    };
    const tail: MemoryRuns['tail'] = (...given) => {
      reads.tails++;
      return tailFails ? Promise.reject(new Error('unavailable')) : runs.tail(...given);
    };
    const handler = new RecordRunHandler(new CommandRunner(store));
    const commands = { execute: (command: RecordRun) => handler.execute(command) } as unknown as CommandBus;
    keeper = new VerdictKeeper({ commands, runs: { between, tail }, clock: { now: () => START + 30_000 }, sleep });
    keeper.beginProjects(['p', ...Array.from({ length: 120 }, (_, index) => `other ${String(index)}`)]);
    return reads;
  }

  it('are read at once, and decided as by their former owner', async () => {
    const reads = await newOwner(false);
    await run('one', 40, 'error');
    expect(eventTypes('one')).toEqual(['CheckPassed', 'CheckSuspected', 'CheckFailed']);
    expect(reads).toEqual({ tails: 1, projects: 0 });
  });

  it('are read one by one where that fails', async () => {
    const reads = await newOwner(true);
    await Promise.all([run('one', 40, 'error'), run('other', 41, 'ok')]);
    expect(eventTypes('one')).toEqual(['CheckPassed', 'CheckSuspected', 'CheckFailed']);
    expect(reads).toEqual({ tails: 1, projects: 1 });
  });
});
