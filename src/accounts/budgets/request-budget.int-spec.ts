import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { FastifyReply } from 'fastify';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { until } from '../../../test/support/until.ts';
import type { Config } from '../../platform/config/config.ts';
import { builtInPlans, type Plans } from '../plan.ts';
import { SharedWindows } from '../../platform/postgres/shared-windows.ts';
import { RateLimited } from '../../platform/http/errors/refusals.ts';
import { AccountBudgets } from './account-budgets.ts';
import { applyRateLimit, type RateLimitState } from './rate-limit.ts';
import { RequestBudget } from './request-budget.ts';

let database: TestDatabase;
const opened: SharedWindows[] = [];
beforeAll(async () => {
  database = await createTestDatabase();
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((windows) => windows.close()));
});
afterAll(() => database.drop());

function instance(limits: Partial<Config>, plans: Plans = builtInPlans): RequestBudget {
  const windows = new SharedWindows(database.pool, () => undefined);
  opened.push(windows);
  return new RequestBudget(windows, new AccountBudgets(plans, { rateLimit: 600, tokenRateLimit: undefined, ...limits } as Config));
}

let lastUser = 0;
const tokensOf =
  (userId = ++lastUser) =>
  (tokenId: string) => ({ userId, tokenId, plan: 'basic' });
const leftOf = (states: readonly RateLimitState[]): readonly string[] =>
  states.map(({ policy, limit, used }) => `${policy} ${String(limit - used)}`);
const times = (count: number, one: () => readonly RateLimitState[]): readonly RateLimitState[] =>
  Array.from({ length: count }, one).at(-1) ?? [];

/** The headers of an answer, and the limit that refused it. */
function applied(states: readonly RateLimitState[]) {
  const headers: Record<string, string> = {};
  const reply = { header: (name: string, value: string) => (headers[name] = value) } as unknown as FastifyReply;
  try {
    applyRateLimit(reply, states);
    return { headers, refusedBy: null };
  } catch (error) {
    return { headers, refusedBy: error instanceof RateLimited ? error.limit : error };
  }
}

describe('the rate limit of a token', () => {
  it('leaves the account to its other tokens', () => {
    const [budget, token] = [instance({ rateLimit: 50, tokenRateLimit: 10 }), tokensOf()];
    expect(leftOf(times(10, () => budget.count(token('one'))))).toEqual(['account 40', 'token 0']);
    expect(applied(times(30, () => budget.count(token('one'))))).toMatchObject({
      headers: {
        'ratelimit-policy': '"account";q=50;w=60, "token";q=10;w=60',
        ratelimit: expect.stringMatching(/^"account";r=40;t=\d+, "token";r=0;t=\d+$/),
      },
      refusedBy: 'token_requests',
    });
    expect(leftOf(budget.count(token('two')))).toEqual(['account 39', 'token 9']);
  });

  it('is that of the account unless one is configured, and then the account refuses', () => {
    const [budget, token] = [instance({ rateLimit: 5 }), tokensOf()];
    expect(leftOf(times(5, () => budget.count(token('one'))))).toEqual(['account 0', 'token 0']);
    expect(applied(budget.count(token('one'))).refusedBy).toBe('requests');
    expect(applied(budget.count(token('two'))).refusedBy).toBe('requests');
  });

  it('can be stated by the plan, and switched off', () => {
    const basic = builtInPlans.get('basic');
    const plans = new Map([['basic', { ...basic, budgets: { requestsPerMinuteOfToken: 3 } } as NonNullable<typeof basic>]]);
    expect(leftOf(instance({ tokenRateLimit: 7 }, plans).count(tokensOf()('one')))).toEqual(['account 599', 'token 2']);
    expect(leftOf(instance({ tokenRateLimit: 0 }).count(tokensOf()('one')))).toEqual(['account 599']);
    expect(leftOf(instance({ rateLimit: 0, tokenRateLimit: 7 }).count(tokensOf()('one')))).toEqual(['token 6']);
    expect(applied(instance({ rateLimit: 0 }).count(tokensOf()('one')))).toEqual({ headers: {}, refusedBy: null });
  });

  it('holds over all instances', async () => {
    const [one, two] = [instance({ tokenRateLimit: 100 }), instance({ tokenRateLimit: 100 })];
    const token = tokensOf();
    times(60, () => one.count(token('shared')));
    times(50, () => two.count(token('shared')));
    times(5, () => two.count(token('own')));
    const seen = (budget: RequestBudget): Promise<boolean> =>
      Promise.resolve(applied(budget.count(token('shared'))).refusedBy === 'token_requests');
    await until(async () => (await seen(one)) && seen(two), 5_000, 'the refusal by both instances');
    expect(leftOf(two.count(token('own')))[1]).toBe('token 94');
  });
});

describe('an answer 304', () => {
  it('counts as a fifth of a request, for the account and for the token', () => {
    const [budget, token] = [instance({ rateLimit: 100, tokenRateLimit: 50 }), tokensOf()('one')];
    const unchanged = (): readonly RateLimitState[] => {
      budget.count(token);
      return budget.countAsUnchanged(token);
    };
    expect(leftOf(times(4, unchanged))).toEqual(['account 100', 'token 50']);
    expect(leftOf(unchanged())).toEqual(['account 99', 'token 49']);
    expect(leftOf(times(200, unchanged))).toEqual(['account 59', 'token 9']);
    times(10, () => budget.count(token));
    expect(applied(times(100, unchanged)).headers['ratelimit']).toMatch(/^"account";r=\d+;t=\d+, "token";r=0;/);
  });

  it('gives nothing back of a window that has not begun, and states no limit where there is none', () => {
    const budget = instance({ rateLimit: 5, tokenRateLimit: 0 });
    expect(leftOf(budget.countAsUnchanged(tokensOf()('one')))).toEqual(['account 5']);
    expect(instance({ rateLimit: 0 }).countAsUnchanged(tokensOf()('one'))).toEqual([]);
  });

  it('is taken back for all instances', async () => {
    const token = tokensOf()('one');
    const here = instance({ rateLimit: 100 });
    times(24, () => {
      here.count(token);
      return here.countAsUnchanged(token);
    });
    here.count(token);
    await Promise.all(opened.splice(0).map((windows) => windows.close()));
    const { rows } = await database.pool.query<{ used: string }>(
      `SELECT used FROM account_use WHERE budget = 'requests' AND user_id = $1`,
      [token.userId],
    );
    expect(rows).toEqual([{ used: '5' }]);
  });
});
