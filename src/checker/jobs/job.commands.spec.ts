import { beforeEach, describe, expect, it } from '@jest/globals';
import { MemoryClaims } from '../../../test/support/memory/memory-claims.ts';
import { MemoryEventStore } from '../../../test/support/memory/memory-event-store.ts';
import { accountTarget } from '../../accounts/account.state.ts';
import { projectTarget } from '../../projects/project.state.ts';
import { systemContext } from '../../platform/commands/context.ts';
import { CommandRunner } from '../../platform/commands/command-runner.ts';
import {
  barJob,
  EndJob,
  EndJobHandler,
  joinRunningJob,
  RequestJob,
  RequestJobHandler,
  RUNNING_JOB,
  runningJobKey,
} from './job.commands.ts';
import { JOB_SLOT } from '../../accounts/budgets/account-budgets.ts';
import { builtInPlans } from '../../accounts/plan.ts';

const PAYER = 7;
const group = { projectId: 'project', areaId: 'area', areaIds: ['area'], checkIds: ['check'], mode: 0 } as const;
const key = runningJobKey(group);
const actor = { kind: 'user', id: '1' } as const;

let store: MemoryEventStore;
let claims: MemoryClaims;
let runner: CommandRunner;
let handler: RequestJobHandler;
beforeEach(() => {
  store = new MemoryEventStore();
  claims = new MemoryClaims();
  runner = new CommandRunner(store);
  handler = new RequestJobHandler(runner, claims, { secret: () => Promise.resolve(Buffer.alloc(32)) }, builtInPlans);
});

const start = (commandId?: string): Promise<string> =>
  handler.execute(
    new RequestJob(systemContext(actor, Date.now(), commandId === undefined ? {} : { commandId }), { request: group, payerId: PAYER }),
  );
const recorded = (): readonly string[] => store.events.map(({ type }) => type);
async function end(jobId: string, areaId = 'area'): Promise<void> {
  const data = { jobId, startedAt: '2026-01-01T00:00:00.000Z', milliseconds: 1, total: 1, failed: 0, because: 'done' } as const;
  await new EndJobHandler(runner, claims).execute(
    new EndJob(systemContext(actor, Date.now()), { request: { jobId, ...group, areaId }, end: data }),
  );
}

/** A project of an account on the plan `free`, with as many groups as wanted. */
async function ownedProject(): Promise<void> {
  const opened = { userId: 7, email: { subject: 'account-7', sealed: 'x' }, name: { subject: 'account-7', sealed: 'x' }, plan: 'free' };
  const created = {
    projectId: 'project',
    payerId: PAYER,
    settings: {},
    apiKey: { subject: 'project-project', sealed: 'x' },
    preset: false,
  };
  const context = systemContext(actor, Date.now());
  const event = (type: string, data: object) => [{ type, data }] as never;
  await runner.run(accountTarget(7), context, () =>
    event('AccountOpened', { ...opened, systemRole: null, confirmed: true, by: 'administrator' }),
  );
  await runner.run(projectTarget('project'), context, () => event('ProjectCreated', created));
}
const startArea = (areaId: string, commandId?: string): Promise<string> =>
  handler.execute(
    new RequestJob(systemContext(actor, Date.now(), commandId === undefined ? {} : { commandId }), {
      request: { ...group, areaId, areaIds: [areaId] },
      payerId: PAYER,
    }),
  );

describe('the running jobs of an account', () => {
  it('are bounded by the plan of the owner, until one ends', async () => {
    await ownedProject();
    const jobs = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((areaId) => startArea(areaId)));
    await expect(startArea('f')).rejects.toThrow('at most 5 jobs');
    expect(await claims.holderOf(RUNNING_JOB, runningJobKey({ ...group, areaId: 'f' }))).toBeNull();
    expect(await startArea('a')).toBe(jobs[0]);
    await end(jobs[0] ?? '', 'a');
    await startArea('f');
    await expect(startArea('a')).rejects.toThrow('at most 5 jobs');
  });

  it('do not count a job without checks, nor a repeated start twice', async () => {
    await ownedProject();
    for (let turn = 0; turn < 10; turn++) await startArea('a', 'the same command');
    for (let turn = 0; turn < 10; turn++)
      await handler.execute(
        new RequestJob(systemContext(actor, Date.now()), {
          request: { ...group, areaId: 'none', areaIds: [], checkIds: [] },
          payerId: PAYER,
        }),
      );
    expect(await claims.slotsTaken(JOB_SLOT, '7')).toBe(1);
  });
});

describe('a job without checks', () => {
  it('has ended where it is requested, also when the backpressure gate closes at that moment', async () => {
    let isOpen = true;
    const context = {
      ...systemContext(actor, Date.now(), {
        gate: {
          check: () => {
            if (!isOpen) throw new Error('closed');
          },
        },
      }),
      recordAppend: () => {
        isOpen = false;
      },
    };
    const empty = { ...group, checkIds: [] };
    const jobId = await handler.execute(new RequestJob(context, { request: empty, payerId: PAYER }));
    expect(store.events).toMatchObject([
      { type: 'JobRequested', data: { jobId } },
      { type: 'JobEnded', data: { jobId, startedAt: context.occurredAt, total: 0, because: 'done' } },
    ]);
    expect(await claims.holderOf(RUNNING_JOB, runningJobKey(empty))).toBeNull();
  });
});

describe('starting what may be under way', () => {
  it('makes one job of a thousand starts', async () => {
    const jobs = await Promise.all(Array.from({ length: 1_000 }, () => start()));
    expect(new Set(jobs).size).toBe(1);
    expect(recorded()).toEqual(['JobRequested']);
  });

  it('makes another one when the first has ended', async () => {
    const first = await start();
    await end(first);
    expect(await start()).not.toBe(first);
    expect(recorded()).toEqual(['JobRequested', 'JobEnded', 'JobRequested']);
  });

  it('joins no job whose end a crash left without giving the claim back', async () => {
    const first = await start();
    await end(first);
    await claims.claim(RUNNING_JOB, key, first);
    await claims.keep(RUNNING_JOB, key, first);
    const second = await start();
    expect(second).not.toBe(first);
    expect(await claims.holderOf(RUNNING_JOB, key)).toBe(second);
  });

  it('bars a request that does not come', async () => {
    await claims.claim(RUNNING_JOB, key, 'abandoned');
    expect(await joinRunningJob({ claims, runner }, { key, holder: 'mine' }, { requestMs: 20, lookMs: 1 })).toBeNull();
    expect(await claims.holderOf(RUNNING_JOB, key)).toBe('mine');
    expect(store.events).toMatchObject([{ type: 'JobEnded', stream: 'job-abandoned', data: { because: 'given up' } }]);
  });

  it('is the same job when the command is repeated, under way or over', async () => {
    const jobId = await start('command');
    expect(await start('command')).toBe(jobId);
    await end(jobId);
    expect(await start('command')).toBe(jobId);
    expect(recorded()).toEqual(['JobRequested', 'JobEnded']);
    expect(await claims.holderOf(RUNNING_JOB, key)).toBeNull();
  });

  it('begins anew under another id when it was barred for being slow', async () => {
    const jobId = await start('command');
    const other = new MemoryEventStore();
    const late = new CommandRunner(other);
    await barJob(late, { key, holder: jobId }, Date.now());
    const again = new RequestJobHandler(late, new MemoryClaims(), { secret: () => Promise.resolve(Buffer.alloc(32)) }, builtInPlans);
    const second = await again.execute(
      new RequestJob(systemContext(actor, Date.now(), { commandId: 'command', repeat: false }), { request: group, payerId: PAYER }),
    );
    expect(second).not.toBe(jobId);
    expect(other.events.map(({ type, stream }) => `${type} ${stream}`)).toEqual([`JobEnded job-${jobId}`, `JobRequested job-${second}`]);
  });
});
