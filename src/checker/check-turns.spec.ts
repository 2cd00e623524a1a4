import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Lease } from '../base/leases.ts';
import type { CheckRow } from '../projections/check/check.view.ts';
import { CheckTurns } from './check-turns.ts';
import type { Checker } from './checker.ts';
import type { ProjectPlan } from './plan/plan.ts';
import type { Errand, RunRecorder } from './runs/run-recorder.ts';

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
    begin: ({ check: { id } }: Errand) => {
      ran.push(id);
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
      begin: ({ check: { id, settings } }: Errand) => {
        seen.push(`${id} ${settings.name}`);
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
