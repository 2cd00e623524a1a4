import { systemContext } from '../../src/platform/commands/context.ts';
import type { CommandRunner } from '../../src/platform/commands/command-runner.ts';
import { accountTarget } from '../../src/accounts/account.state.ts';
import { openAccount } from '../../src/accounts/account.decider.ts';
import { builtInPlans, type Plans } from '../../src/accounts/plan.ts';
import { accountStream } from '../../src/kernel/stream-names.ts';

/** Empty accounts, for tests that need existing user ids. */
export async function openAccounts(runner: CommandRunner, ...userIds: readonly number[]): Promise<void> {
  for (const userId of userIds) {
    const sealed = { subject: accountStream(userId), sealed: 'x' };
    const wanted = { userId, email: sealed, name: sealed, apiKey: sealed, plan: 'basic', systemRole: null, confirmed: true } as const;
    await runner.run(accountTarget(userId), systemContext({ kind: 'cli', id: 'test' }, 0), (account) =>
      openAccount(account, { ...wanted, by: 'registration' }),
    );
  }
}

/** The built-in plans, with this project limit for the plan of `openAccounts`; null: no limit. */
export const plansWith = (maxProjects: number | null): Plans =>
  new Map([...builtInPlans].map(([name, plan]) => [name, { ...plan, maxProjects }]));
