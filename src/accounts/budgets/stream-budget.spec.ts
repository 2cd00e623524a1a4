import { describe, expect, it } from '@jest/globals';
import type { Config } from '../../platform/config/config.ts';
import { builtInPlans } from '../plan.ts';
import type { Principal } from '../../platform/http/context/principal.ts';
import { AccountBudgets } from './account-budgets.ts';
import { StreamBudget } from './stream-budget.ts';

const principal = (userId: number, plan: string, tokenId = `token-${String(userId)}`): Principal => ({
  ...{ userId, tokenId, kind: 'token', signedInAt: null, plan, systemRole: null, confirmed: true, hasFactor: false, limits: null },
});
const times = <Result>(count: number, one: (index: number) => Result): Result[] => Array.from({ length: count }, (_, index) => one(index));
const budgetOf = (maxConnections = 10_000): StreamBudget =>
  new StreamBudget(new AccountBudgets(builtInPlans, { rateLimit: 600 } as Config), { maxConnections }, { streams: () => undefined });

describe('the streams of an account', () => {
  it('are bounded by its plan over all of its tokens and projects', () => {
    const budget = budgetOf();
    times(20, (index) => budget.openLive(principal(1, 'basic', `token-${String(index % 7)}`), `project-${String(index)}`));
    expect(() => budget.openLive(principal(1, 'basic', 'another'), 'another')).toThrow('too many live streams');
    expect(() => budget.openJob(principal(1, 'basic'))).toThrow('too many live streams');
    expect(budget.ofAccount(1)).toBe(20);
    budget.openJob(principal(2, 'basic'));
  });

  it('are bounded for one project and token', () => {
    const budget = budgetOf();
    const releases = times(5, () => budget.openLive(principal(1, 'unlimited'), 'project'));
    expect(() => budget.openLive(principal(1, 'unlimited'), 'project')).toThrow('Your token');
    releases[0]?.();
    releases[0]?.();
    budget.openLive(principal(1, 'unlimited'), 'project');
    expect(() => budget.openLive(principal(1, 'unlimited'), 'project')).toThrow('Your token');
    times(50, () => budget.openJob(principal(1, 'unlimited')));
  });

  it('leave half of the connections to requests', () => {
    const budget = budgetOf(100);
    const releases = times(50, (index) => budget.openJob(principal(index, 'basic')));
    expect(() => budget.openJob(principal(99, 'basic'))).toThrow('Too many live streams are open here');
    for (const release of releases) release();
    expect(budget.ofAccount(3)).toBe(0);
    budget.openJob(principal(99, 'basic'));
  });
});
