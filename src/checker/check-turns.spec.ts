import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Lease } from '../persistence/leases.ts';
import type { CheckRow } from '../projections/read-models/check/check.view.ts';
import { until } from '../../test/support/until.ts';
import { KeyedMutex } from '../kernel/keyed-mutex.ts';
import type { JobRow } from '../projections/read-models/job/job.view.ts';
import { CheckTurns } from './check-turns.ts';
import type { Checker } from './checker.ts';
import type { ProjectPlan } from './plan/plan.ts';
import { ProbeSession } from './probe/probe-session.ts';
import { HostGate } from './runs/host-gate.ts';
import { type Errand, RunRecorder, type RunRecorderOptions } from './runs/run-recorder.ts';
import type { SignedIn } from './runs/signing-in.ts';
import { ConcurrencyLimit } from '../kernel/concurrency-limit.ts';

const lease = { signal: new AbortController().signal } as unknown as Lease;
const check = (id: string, enabled: boolean): CheckRow =>
  ({ id, projectId: 'p', areaId: 'a', order: 0, settings: { enabled } }) as unknown as CheckRow;

let ran: string[];
let turns: CheckTurns;
let checker: Checker;
beforeEach(() => {
  ran = [];
  const checks = new Map([check('on', true), check('off', false)].map((one) => [one.id, one]));
  const plan = { project: { id: 'p' }, areas: new Map(), checks } as unknown as ProjectPlan;
  checker = { plans: { plan: { get: () => plan } }, once: () => undefined } as unknown as Checker;
  const recorder = {
    begin: ({ checkId }: Errand) => {
      ran.push(checkId);
      return { fetched: Promise.resolve(), done: Promise.resolve({ kind: 'recorded', outcome: 'ok', suspect: false }) };
    },
  } as unknown as RunRecorder;
  turns = new CheckTurns(recorder, { begin: () => Promise.resolve(undefined) }, { now: () => 0 }, () => Promise.resolve());
});

describe('a turn of a group', () => {
  it('runs each check as it is when its place comes, and passes over what was deleted or switched off since the turn began', async () => {
    const settingsOf = (name: string, enabled = true) => ({ enabled, name });
    const one = (id: string, name: string, enabled = true) =>
      [id, { ...check(id, enabled), settings: settingsOf(name, enabled) } as unknown as CheckRow] as const;
    let checks = new Map([one('a', 'a'), one('b', 'b'), one('c', 'c'), one('d', 'd')]);
    const plans = { plan: { get: () => ({ project: { id: 'p' }, areas: new Map(), checks }) as unknown as ProjectPlan } };
    const seen: string[] = [];
    const recorder = {
      begin: ({ checkId, now }: Errand) => {
        seen.push(`${checkId} ${String(now()?.check.settings.name)}`);
        checks = new Map([one('a', 'a'), one('b', 'changed'), one('d', 'd', false), one('new', 'new')]);
        return { fetched: Promise.resolve(), done: Promise.resolve({ kind: 'recorded', outcome: 'ok', suspect: false }) };
      },
    } as unknown as RunRecorder;
    const group = new CheckTurns(recorder, { begin: () => Promise.resolve(undefined) }, { now: () => 0 }, () => Promise.resolve());
    await group.area({ plans, once: () => undefined } as unknown as Checker)({ key: '', kind: '', projectId: 'p', id: 'a', due: 0 }, lease);
    expect(seen).toEqual(['a a', 'b changed']);
  });
});

describe('a turn of one check', () => {
  it.each([true, false])('is passed over when the check was switched off after it was planned (confirming: %s)', async (confirming) => {
    const carry = turns.single(checker, confirming);
    for (const id of ['on', 'off', 'gone']) await carry({ key: '', kind: '', projectId: 'p', id, due: 0 }, lease);
    expect(ran).toEqual(['on']);
  });
});

describe('turns of single checks of a group', () => {
  it('share a sign-in that come together, but not with those that only confirm', async () => {
    let signIns = 0;
    const begin = (): Promise<SignedIn> => {
      signIns++;
      return Promise.resolve({ session: new ProbeSession(), trouble: null, changedForm: null });
    };
    const checks = new Map(['a', 'b', 'c'].map((id) => [id, check(id, true)]));
    const plans = { plan: { get: () => ({ project: { id: 'p' }, areas: new Map(), checks }) as unknown as ProjectPlan } };
    const seen: unknown[] = [];
    const recorder = {
      begin: ({ checkId, signedIn }: Errand) => {
        seen.push([checkId, signedIn?.session]);
        return { fetched: Promise.resolve(), done: Promise.resolve({ kind: 'recorded', outcome: 'ok', suspect: false }) };
      },
    } as unknown as RunRecorder;
    const self = { plans, once: () => undefined } as unknown as Checker;
    const group = new CheckTurns(recorder, { begin }, { now: () => 0 }, () => Promise.resolve());
    const carry = (confirming: boolean, id: string) =>
      group.single(self, confirming)({ key: '', kind: '', projectId: 'p', id, due: 0 }, lease);
    await Promise.all([...checks.keys()].map((id) => carry(true, id)));
    expect([signIns, seen.length]).toEqual([1, 3]);
    await Promise.all([...checks.keys()].map((id) => carry(false, id)));
    expect([signIns, seen.length]).toEqual([2, 6]);
  });
});

describe('a job', () => {
  it('runs each check as it is when its turn at the host comes, in the group where it stands then, and not at all what was deleted or switched off', async () => {
    const at = (id: string, url: string, areaId = 'a', enabled = true) =>
      [id, { ...check(id, enabled), areaId, settings: { enabled, url } } as unknown as CheckRow] as const;
    const project = { id: 'p', settings: { url: 'https://site.test/', delay: 1 } };
    let checks = new Map(['first', 'changed', 'moved', 'off', 'gone'].map((id) => at(id, `/${id}`)));
    const plans = { plan: { get: () => ({ project, areas: new Map(), checks }) as unknown as ProjectPlan } };
    const self = { plans, once: () => undefined } as unknown as Checker;
    const asked: string[] = [];
    let leave: () => void = () => undefined;
    const run: RunRecorderOptions['runner']['run'] = (_, { settings }, { signedIn }) => {
      asked.push(`${settings.url} ${String(signedIn?.trouble?.reason)}`);
      return Promise.resolve({ kind: 'inconclusive', reason: 'nobody looks' });
    };
    const gate = new HostGate(() => new Promise<void>((resolve) => (leave = resolve)));
    const recorder = new RunRecorder({
      ...{ runner: { run }, gate, locks: new KeyedMutex(), atOnce: new ConcurrencyLimit(10, { maxQueue: 10 }) },
      ...{ onOwnTrouble: () => undefined, onRan: () => undefined },
    } as unknown as RunRecorderOptions);
    const begin = (_: ProjectPlan, areaId: string): Promise<SignedIn> =>
      Promise.resolve({ session: new ProbeSession(), trouble: { kind: 'inconclusive', reason: areaId }, changedForm: null });
    const ofJobs = new CheckTurns(recorder, { begin }, { now: () => 0 }, () => Promise.resolve());
    const job = { request: { jobId: 'job', projectId: 'p', checkIds: [] }, chain: null, end: null } as unknown as JobRow;
    const runs = [...checks.keys()].map((id) => ofJobs.ofJob(self, id, job, lease));
    await until(() => Promise.resolve(asked.length === 1), 2_000);
    checks = new Map([at('first', '/'), at('changed', '/new'), at('moved', '/moved', 'b'), at('off', '/off', 'a', false)]);
    const over = Promise.all(runs);
    const turning = setInterval(() => leave(), 1);
    const ran = await over.finally(() => clearInterval(turning));
    expect(asked).toEqual(['/first a', '/new a', '/moved b']);
    expect(ran.map(({ kind }) => kind)).toEqual(['inconclusive', 'inconclusive', 'inconclusive', 'gone', 'gone']);
  });
});
