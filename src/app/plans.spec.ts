import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { ConfigInvalid } from '../platform/config/config.ts';
import { mustHaveFactor } from '../accounts/plan.ts';
import { loadPlans } from './plans.ts';

const folder = mkdtempSync(join(tmpdir(), 'plans-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const file = (content: unknown): string => {
  const path = join(folder, `${String(Math.random())}.json`);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
};
const team = { apiAccess: true, maxProjects: 20, defaultPeriod: '1 hour', minUptimePeriod: 30 };
const problems = (content: unknown, defaultPlan = 'team'): readonly string[] => {
  try {
    loadPlans({ plansFile: file(content), defaultPlan });
    return [];
  } catch (error) {
    return error instanceof ConfigInvalid ? error.lines : [String(error)];
  }
};

describe('the plans', () => {
  it('are built in without a file', () => {
    const plans = loadPlans({ plansFile: undefined, defaultPlan: 'basic' });
    expect([...plans.keys()]).toEqual(['free', 'basic', 'unlimited']);
    expect(plans.get('free')).toMatchObject({ apiAccess: false, maxProjects: 3 });
  });

  it('may demand a second factor', () => {
    const plans = loadPlans({ plansFile: file({ team: { ...team, secondFactor: true } }), defaultPlan: 'team' });
    const must = (plan: string, systemRole: 'admin' | null = null) =>
      mustHaveFactor({ plan, systemRole }, plans, { secondFactorRoles: ['admin'] });
    expect([must('team'), must('unlimited'), must('unlimited', 'admin')]).toEqual([true, false, true]);
    expect(problems({ team: { ...team, secondFactor: 'yes' } })).toEqual(['PLANS_FILE: team: secondFactor must be true or false']);
  });

  it.each([
    ['a list', [{ name: 'team', ...team }]],
    ['an object by name', { team }],
    ['either under "plans"', { plans: [{ name: 'team', ...team }] }],
  ])('are read from %s, in addition to the plan of the installation', (_, content) => {
    const plans = loadPlans({ plansFile: file(content), defaultPlan: 'team' });
    expect(plans.get('team')).toEqual({ name: 'team', ...team });
    expect([...plans.keys()]).toEqual(['team', 'unlimited']);
  });

  it('have no limit when the file has none', () => {
    const plans = loadPlans({ plansFile: file({ team: { ...team, maxProjects: undefined } }), defaultPlan: 'team' });
    expect(plans.get('team')?.maxProjects).toBeNull();
  });

  it('state budgets that differ from the defaults', () => {
    const budgets = { requestsPerMinute: 60, requestsPerMinuteOfToken: 30, liveStreams: 0, runningJobs: null, eventMegabytesPerDay: 1 };
    expect(loadPlans({ plansFile: file({ team: { ...team, budgets } }), defaultPlan: 'team' }).get('team')?.budgets).toEqual(budgets);
    expect(problems({ team: { ...team, budgets: { streams: 1, liveStreams: -1, runningJobs: '5' } } })).toEqual([
      'PLANS_FILE: team: budgets.streams is not one of requestsPerMinute, requestsPerMinuteOfToken, liveStreams, runningJobs, eventMegabytesPerDay',
      'PLANS_FILE: team: budgets.liveStreams must be a whole number from 0, or null for no limit',
      'PLANS_FILE: team: budgets.runningJobs must be a whole number from 0, or null for no limit',
    ]);
    expect(problems({ team: { ...team, budgets: [] } })).toEqual(['PLANS_FILE: team: budgets must be an object']);
  });

  it('give an account whose plan was removed the default plan, and cannot assign the removed plan', () => {
    const plans = loadPlans({ plansFile: file({ team }), defaultPlan: 'team' });
    expect(plans.get('removed')?.name).toBe('team');
    expect(plans.has('removed')).toBe(false);
  });

  it('report all problems of the file', () => {
    expect(problems('{')).toEqual(['PLANS_FILE: must hold JSON']);
    expect(problems([])).toEqual(['PLANS_FILE: must contain at least one plan']);
    expect(problems([{ name: 'team', ...team, apiAccess: 'yes', maxProjects: -1 }])).toHaveLength(2);
    expect(problems([{ name: 'team', ...team, defaultPeriod: 'false', minUptimePeriod: 45 }])).toHaveLength(2);
    expect(
      problems([
        { name: 'team', ...team },
        { name: 'team', ...team },
      ]),
    ).toEqual(['PLANS_FILE: contains a plan twice']);
    expect(problems({ team }, 'gold')).toEqual(['DEFAULT_PLAN: must be one of team, found "gold"']);
  });
});
