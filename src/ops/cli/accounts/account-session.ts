import pino from 'pino';
import type { Config } from '../../../config.ts';
import type { CommandContext } from '../../../commands/context.ts';
import { ownContext } from '../../../commands/context.ts';
import type { Plans } from '../../../domain/account/plan.ts';
import { type AccountRow, accountView } from '../../../projections/account/account.view.ts';
import { type AccountTools, accountTools } from '../../account-tools.ts';
import { openDatabase } from '../../embedded/open-database.ts';
import { openParts, type Parts } from '../../parts.ts';
import { loadPlans } from '../../plans.ts';
import { StartRefused } from '../../start-refused.ts';
import type { CliOutput } from '../command.ts';

const USER_ID = /^[1-9]\d{0,9}$/;
const UNDEFINED_TABLE = '42P01';

/** What the account commands work with, beside a running service or without one. */
export interface AccountSession {
  readonly config: Config;
  readonly parts: Parts;
  readonly tools: AccountTools;
  readonly plans: Plans;
  readonly context: () => CommandContext;
  /** By id or whole e-mail address; a `StartRefused` that says so when there is none. */
  find(name: string): Promise<AccountRow>;
}

export async function withAccounts(config: Config, output: CliOutput, work: (session: AccountSession) => Promise<number>): Promise<number> {
  const plans = loadPlans(config);
  const database = await openDatabase(config, output.say);
  try {
    // The log goes to standard error: standard output belongs to the result.
    const parts = await openParts(config, database.url, pino({ level: 'error' }, pino.destination(2)));
    try {
      return await work(sessionOf(config, parts, plans));
    } finally {
      await parts.close();
    }
  } catch (error) {
    if (isUndefinedTable(error)) throw new StartRefused('the database was never used: start the service once first');
    throw error;
  } finally {
    await database.close();
  }
}

function sessionOf(config: Config, parts: Parts, plans: Plans): AccountSession {
  const tools = accountTools(parts);
  return {
    config,
    parts,
    tools,
    plans,
    context: () => ownContext({ kind: 'cli', id: 'accounts' }, Date.now()),
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

const isUndefinedTable = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === UNDEFINED_TABLE;
