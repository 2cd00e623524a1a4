import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Lease } from '../../platform/postgres/leases.ts';
import type { CheckRow } from '../../projects/checks/check.view.ts';
import { until } from '../../../test/support/until.ts';
import { KeyedMutex } from '../../kernel/keyed-mutex.ts';
import type { JobRow } from '../jobs/job.view.ts';
import { CheckTurns } from './check-turns.ts';
import type { WatchedProject } from '../projects/watched-projects.ts';
import { ProbeSession } from '../probe/probe-session.ts';
import { HostGate } from '../runs/host-gate.ts';
import { type Task, RunRecorder, type RunRecorderOptions } from '../runs/run-recorder.ts';
import type { SharedSignIn, SignInAttempt } from '../runs/area-sign-in.ts';
import type { TurnKind } from '../schedule/turn.ts';
import { ConcurrencyLimit } from '../../kernel/concurrency-limit.ts';

const lease = { signal: new AbortController().signal } as unknown as Lease;
const check = (id: string, enabled: boolean): CheckRow =>
  ({ id, projectId: 'p', areaId: 'a', order: 0, settings: { enabled, options: {} } }) as unknown as CheckRow;

/** The turns of one project. */
const turnsOver = (
  watched: () => WatchedProject,
  recorder: RunRecorder,
  signIn: SharedSignIn['signIn'] = () => Promise.resolve(undefined),
): CheckTurns =>
  new CheckTurns({
    checker: { projects: { get: watched }, canDecide: () => true, leaseOf: () => lease, scheduleOnce: () => undefined },
    ...{ recorder, signIn: { signIn }, clock: { now: () => 0 }, onFormFound: () => Promise.resolve() },
  });

let ran: string[];
let turns: CheckTurns;
beforeEach(() => {
  ran = [];
  const checks = new Map([check('on', true), check('off', false)].map((one) => [one.id, one]));
  const watched = { project: { id: 'p' }, areas: new Map(), checks } as unknown as WatchedProject;
  const recorder = {
    start: ({ checkId }: Task) => {
      ran.push(checkId);
      return { fetched: Promise.resolve(), done: Promise.resolve({ kind: 'recorded', status: 'ok', needsConfirmation: false }) };
    },
  } as unknown as RunRecorder;
  turns = turnsOver(() => watched, recorder);
});

describe('the turn of an area', () => {
  it('runs each check with its current settings, and skips those deleted or disabled since the turn started', async () => {
    const settingsOf = (name: string, enabled = true) => ({ enabled, name, options: {} });
    const one = (id: string, name: string, enabled = true) =>
      [id, { ...check(id, enabled), settings: settingsOf(name, enabled) } as unknown as CheckRow] as const;
    let checks = new Map([one('a', 'a'), one('b', 'b'), one('c', 'c'), one('d', 'd')]);
    const watched = () => ({ project: { id: 'p' }, areas: new Map(), checks }) as unknown as WatchedProject;
    const seen: string[] = [];
    const recorder = {
      start: ({ checkId, currentSubject }: Task) => {
        seen.push(`${checkId} ${String(currentSubject()?.check.settings.name)}`);
        checks = new Map([one('a', 'a'), one('b', 'changed'), one('d', 'd', false), one('new', 'new')]);
        return { fetched: Promise.resolve(), done: Promise.resolve({ kind: 'recorded', status: 'ok', needsConfirmation: false }) };
      },
    } as unknown as RunRecorder;
    await turnsOver(watched, recorder).runArea({ kind: 'area', projectId: 'p', subjectId: 'a', due: 0 }, lease);
    expect(seen).toEqual(['a a', 'b changed']);
  });
});

describe('the turn of a single check', () => {
  it.each(['confirm', 'again'] as const)('is skipped when the check was disabled after it was scheduled (%s)', async (kind) => {
    for (const subjectId of ['on', 'off', 'deleted']) await turns.runCheck({ kind, projectId: 'p', subjectId, due: 0 }, lease);
    expect(ran).toEqual(['on']);
  });
});

describe('single checks of an area', () => {
  it('share one sign-in if they run together, separately for confirming and repeated runs', async () => {
    let signIns = 0;
    const signIn = (): Promise<SignInAttempt> => {
      signIns++;
      return Promise.resolve({ session: new ProbeSession(), failure: null, formFinding: null });
    };
    const checks = new Map(['a', 'b', 'c'].map((id) => [id, check(id, true)]));
    const watched = () => ({ project: { id: 'p' }, areas: new Map(), checks }) as unknown as WatchedProject;
    const seen: unknown[] = [];
    const recorder = {
      start: ({ checkId, signIn }: Task) => {
        seen.push([checkId, signIn?.session]);
        return { fetched: Promise.resolve(), done: Promise.resolve({ kind: 'recorded', status: 'ok', needsConfirmation: false }) };
      },
    } as unknown as RunRecorder;
    const area = turnsOver(watched, recorder, signIn);
    const run = (kind: TurnKind, subjectId: string) => area.runCheck({ kind, projectId: 'p', subjectId, due: 0 }, lease);
    await Promise.all([...checks.keys()].map((id) => run('confirm', id)));
    expect([signIns, seen.length]).toEqual([1, 3]);
    await Promise.all([...checks.keys()].map((id) => run('again', id)));
    expect([signIns, seen.length]).toEqual([2, 6]);
  });
});

describe('a job', () => {
  it('runs each check with the settings and area that it has once the host is free, and skips those deleted or disabled', async () => {
    const at = (id: string, url: string, areaId = 'a', enabled = true) =>
      [id, { ...check(id, enabled), areaId, settings: { enabled, url, options: {} } } as unknown as CheckRow] as const;
    const project = { id: 'p', settings: { url: 'https://site.test/', delay: 1 } };
    let checks = new Map(['first', 'changed', 'moved', 'off', 'deleted'].map((id) => at(id, `/${id}`)));
    const watched = () => ({ project, areas: new Map(), checks }) as unknown as WatchedProject;
    const requested: string[] = [];
    let release: () => void = () => undefined;
    const run: RunRecorderOptions['runner']['run'] = (_, { settings }, { signIn }) => {
      requested.push(`${settings.url} ${String(signIn?.failure?.reason)}`);
      return Promise.resolve({ kind: 'inconclusive', reason: 'not fetched' });
    };
    const gate = new HostGate(() => new Promise<void>((resolve) => (release = resolve)));
    const recorder = new RunRecorder({
      ...{ runner: { run }, gate, mutex: new KeyedMutex(), fetchLimit: new ConcurrencyLimit(10, { maxQueue: 10 }) },
      ...{ onInconclusive: () => undefined, onRunEnded: () => undefined, canDecide: () => true },
    } as unknown as RunRecorderOptions);
    const signIn = (_: WatchedProject, areaId: string): Promise<SignInAttempt> =>
      Promise.resolve({ session: new ProbeSession(), failure: { kind: 'inconclusive', reason: areaId }, formFinding: null });
    const ofJobs = turnsOver(watched, recorder, signIn);
    const job = { request: { jobId: 'job', projectId: 'p', checkIds: [] }, chain: null, end: null } as unknown as JobRow;
    const runs = [...checks.keys()].map((id) => ofJobs.runForJob(id, job, lease));
    await until(() => Promise.resolve(requested.length === 1), 2_000);
    checks = new Map([at('first', '/'), at('changed', '/new'), at('moved', '/moved', 'b'), at('off', '/off', 'a', false)]);
    const finished = Promise.all(runs);
    const releasing = setInterval(() => release(), 1);
    const ran = await finished.finally(() => clearInterval(releasing));
    expect(requested).toEqual(['/first a', '/new a', '/moved b']);
    expect(ran.map(({ kind }) => kind)).toEqual(['inconclusive', 'inconclusive', 'inconclusive', 'cancelled', 'cancelled']);
  });
});
