import { type CommandContext, systemContext } from '../../platform/commands/context.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Plans } from '../plan.ts';
import { StartRefused } from '../../kernel/start-refused.ts';
import { EmailDirectory } from '../email-directory.ts';
import { type AccountRow, accountView } from '../account.view.ts';
import type { Keyring } from '../../platform/security/keyring/keyring.ts';
import type { Parts } from '../../app/parts.ts';
import { loadPlans } from '../../app/plans.ts';
import type { CliOutput } from '../../platform/cli/command.ts';
import { withParts } from '../../app/with-parts.ts';

const USER_ID = /^[1-9]\d{0,9}$/;

/** Dependencies of the account commands, beside a running service or without one. */
export interface AccountSession {
  readonly config: Config;
  readonly parts: Parts;
  readonly plans: Plans;
  readonly context: () => CommandContext;
  /** By id or complete e-mail address; throws `StartRefused` for an unknown account. */
  readonly find: (name: string) => Promise<AccountRow>;
}

export async function withAccounts(config: Config, output: CliOutput, work: (session: AccountSession) => Promise<number>): Promise<number> {
  const plans = loadPlans(config);
  return withParts(config, output, (parts) => work(sessionOf(config, parts, plans)));
}

function sessionOf(config: Config, parts: Parts, plans: Plans): AccountSession {
  return {
    config,
    parts,
    plans,
    context: () => systemContext({ kind: 'cli', id: 'accounts' }, Date.now()),
    find: async (name) => {
      const userId = USER_ID.test(name) ? Number(name) : await parts.get(EmailDirectory).userIdOf(name);
      // Folded from the log: complete also when no service runs that would fill the tables.
      const views = parts.views.asOf(await parts.log.head());
      const row = userId === null ? null : await views.get(accountView, String(userId));
      if (row === null) throw new StartRefused(`account not found: ${name}`);
      return row;
    },
  };
}

export interface ListedAccount {
  readonly userId: number;
  readonly email: string | null;
  readonly name: string | null;
  readonly plan: string;
  readonly systemRole: string | null;
  readonly confirmed: boolean;
}

export async function decrypted(row: AccountRow, keyring: Keyring): Promise<ListedAccount> {
  const [email, name] = await Promise.all([keyring.open(row.email), keyring.open(row.name)]);
  return { userId: row.userId, email, name, plan: row.plan, systemRole: row.systemRole, confirmed: row.confirmed };
}

export const accountLine = ({ userId, email, name, plan, systemRole, confirmed }: ListedAccount): string =>
  [String(userId).padStart(5), email ?? '(erased)', name ?? '', plan, systemRole ?? '', confirmed ? '' : 'not confirmed']
    .join('  ')
    .trimEnd();
