import type { Config } from '../../config.ts';
import type { CommandContext } from '../../commands/context.ts';
import { systemContext } from '../../commands/context.ts';
import type { Plans } from '../../domain/account/plan.ts';
import { type AccountRow, accountView } from '../../projections/read-models/account/account.view.ts';
import { type AccountTools, accountTools } from '../../processes/account-erasure/account-tools.ts';
import type { Parts } from '../../app/parts.ts';
import { loadPlans } from '../../app/plans.ts';
import { StartRefused } from '../../kernel/start-refused.ts';
import type { CliOutput } from '../command.ts';
import { withParts } from '../with-parts.ts';

const USER_ID = /^[1-9]\d{0,9}$/;

/** What the account commands work with, beside a running service or without one. */
export interface AccountSession {
  readonly config: Config;
  readonly parts: Parts;
  readonly tools: AccountTools;
  readonly plans: Plans;
  readonly context: () => CommandContext;
  /** By id or whole e-mail address; a `StartRefused` that says so when there is none. */
  readonly find: (name: string) => Promise<AccountRow>;
}

export async function withAccounts(config: Config, output: CliOutput, work: (session: AccountSession) => Promise<number>): Promise<number> {
  const plans = loadPlans(config);
  return withParts(config, output, (parts) => work(sessionOf(config, parts, plans)));
}

function sessionOf(config: Config, parts: Parts, plans: Plans): AccountSession {
  const tools = accountTools(parts);
  return {
    config,
    parts,
    tools,
    plans,
    context: () => systemContext({ kind: 'cli', id: 'accounts' }, Date.now()),
    find: async (name) => {
      const userId = USER_ID.test(name) ? Number(name) : await tools.directory.userIdOf(name);
      // Folded from the log: right also when no service runs that would fill the tables.
      const views = parts.views.asOf(await parts.log.head());
      const row = userId === null ? null : await views.get(accountView, String(userId));
      if (row === null) throw new StartRefused(`there is no account ${name}`);
      return row;
    },
  };
}
