import { randomBytes } from 'node:crypto';
import { AccountErasure } from './erasure/account-erasure.ts';
import { AdministerAccount, OpenAccount } from './account.commands.ts';
import { ChangePassword, OfferLink } from './passwords/password.commands.ts';
import { RemoveFactors } from './second-factors/second-factor.commands.ts';
import { systemRoles } from './account.settings.ts';
import { linkTo } from './links.ts';
import { StartRefused } from '../kernel/start-refused.ts';
import { accountView } from './account.view.ts';
import { type CliAction, type CliCommand, type CliInput, WrongUse } from '../platform/cli/command.ts';
import { confirm } from '../platform/cli/terminal.ts';
import { WATCH, watched } from '../platform/cli/watched.ts';
import { accountLine, decrypted, withAccounts } from './command-line/account-session.ts';

const EMAIL = /^[^\s@<>]+@[^\s@<>]+$/;
const LINK_LIFETIME_MS = 24 * 3_600_000;
const MIN_PASSWORD_LENGTH = 8;
const MAX_REASON = 500;
const PASSWORD_OPTION = {
  type: 'string',
  value: 'PASSWORD',
  about: 'at least 8 characters; visible to users who can list processes',
} as const;

const list: CliAction = {
  about: 'List all accounts',
  options: WATCH,
  run: ({ input, config, output }) =>
    withAccounts(config(), output, ({ parts }) =>
      watched(input, output, async (shown) => {
        const items = await parts.views.now().list(accountView, { order: { by: 'number' } });
        const accounts = await Promise.all(items.map(({ row }) => decrypted(row, parts.keyring)));
        shown.result({ accounts }, () => accounts.map(accountLine).join('\n'));
        return 0;
      }),
    ),
};

const create: CliAction = {
  about: 'Create a confirmed account; without --password a random one is set and printed',
  args: ['EMAIL'],
  options: {
    name: { type: 'string', value: 'NAME', about: 'name of the person (default: the part of EMAIL before the @)' },
    password: PASSWORD_OPTION,
    plan: { type: 'string', value: 'PLAN', about: 'default: DEFAULT_PLAN' },
    role: { type: 'string', value: 'ROLE', about: 'a system role: admin or auditor' },
  },
  run: ({ input, config, output }) =>
    withAccounts(config(), output, async ({ config: settings, parts, plans, context }) => {
      const email = input.args[0]?.trim() ?? '';
      if (!EMAIL.test(email) || email.length > 254) throw new WrongUse(`EMAIL: '${email}' is not an e-mail address`);
      const plan = input.text('plan') ?? settings.defaultPlan;
      if (!plans.has(plan)) throw new WrongUse(`PLAN: must be one of ${[...plans.keys()].join(', ')}, found '${plan}'`);
      const given = input.text('role');
      const systemRole = systemRoles.find((role) => role === given) ?? null;
      if (given !== undefined && systemRole === null)
        throw new WrongUse(`ROLE: must be one of ${systemRoles.join(', ')}, found '${given}'`);
      const { password, isGenerated } = passwordOf(input);
      const name = input.text('name') ?? email.slice(0, email.lastIndexOf('@'));
      const wanted = { email, name, password, plan, systemRole, confirmed: true, by: 'administrator' } as const;
      const { userId, opened } = await parts.commands.execute(new OpenAccount(context(), { wanted }));
      if (!opened) throw new StartRefused(`an account for ${email} exists already`);
      const shown = isGenerated ? { password } : {};
      output.result({ userId, email, plan, systemRole, ...shown }, () =>
        [`Account ${String(userId)} for ${email}`, ...(isGenerated ? [`Password, shown only this once: ${password}`] : [])].join('\n'),
      );
      return 0;
    }),
};

const link: CliAction = {
  about: 'Print a link that signs in to the console and lets choose a password; single use, valid for a day',
  args: ['EMAIL|ID'],
  run: ({ input, config, output }) =>
    withAccounts(config(), output, async ({ config: settings, parts, context, find }) => {
      const { userId } = await find(input.args[0] ?? '');
      const expiresAt = new Date(Date.now() + LINK_LIFETIME_MS);
      const { token, purpose } = await parts.commands.execute(new OfferLink(context(), { userId, purpose: 'sign-in', expiresAt }));
      const address = linkTo(settings, purpose, token);
      output.result({ userId, link: address, token, expiresAt: expiresAt.toISOString() }, address);
      return 0;
    }),
};

const password: CliAction = {
  about: 'Set a new password and revoke every token of the account; without --password a random one is set and printed',
  args: ['EMAIL|ID'],
  options: { password: PASSWORD_OPTION },
  run: ({ input, config, output }) =>
    withAccounts(config(), output, async ({ parts, context, find }) => {
      const { password: newPassword, isGenerated } = passwordOf(input);
      const { userId } = await find(input.args[0] ?? '');
      await parts.commands.execute(new ChangePassword(context(), { userId, password: newPassword, by: 'administrator' }));
      const shown = isGenerated ? { password: newPassword } : {};
      output.result({ userId, ...shown }, isGenerated ? `Password, shown only this once: ${newPassword}` : 'Password changed.');
      return 0;
    }),
};

const plan: CliAction = {
  about: 'Change the plan of an account',
  args: ['EMAIL|ID', 'PLAN'],
  run: ({ input, config, output }) =>
    withAccounts(config(), output, async ({ parts, plans, context, find }) => {
      const [name = '', wanted = ''] = input.args;
      if (!plans.has(wanted)) throw new WrongUse(`PLAN: must be one of ${[...plans.keys()].join(', ')}, found '${wanted}'`);
      const { userId } = await find(name);
      await parts.commands.execute(new AdministerAccount(context(), { userId, wanted: { plan: wanted } }));
      output.result({ userId, plan: wanted }, `Account ${String(userId)} is on plan ${wanted}`);
      return 0;
    }),
};

const role: CliAction = {
  about: 'Set the system role of an account: admin, auditor or none',
  args: ['EMAIL|ID', 'ROLE'],
  run: ({ input, config, output }) =>
    withAccounts(config(), output, async ({ parts, context, find }) => {
      const [name = '', wanted = ''] = input.args;
      const systemRole = systemRoles.find((known) => known === wanted) ?? null;
      if (systemRole === null && wanted !== 'none')
        throw new WrongUse(`ROLE: must be one of ${systemRoles.join(', ')}, none, found '${wanted}'`);
      const { userId } = await find(name);
      await parts.commands.execute(new AdministerAccount(context(), { userId, wanted: { systemRole } }));
      output.result(
        { userId, systemRole },
        `Account ${String(userId)} has ${systemRole === null ? 'no system role' : `the system role ${systemRole}`}`,
      );
      return 0;
    }),
};

const removeFactors: CliAction = {
  about: 'Remove every second factor of an account whose owner has lost them; the owner gets a mail with the reason',
  args: ['EMAIL|ID'],
  options: { reason: { type: 'string', value: 'TEXT', about: 'how the owner was recognised; for the history and the mail' } },
  run: ({ input, config, output }) =>
    withAccounts(config(), output, async ({ parts, context, find }) => {
      const reason = input.text('reason')?.trim() ?? '';
      if (reason === '' || reason.length > MAX_REASON) throw new WrongUse(`--reason: must be 1 to ${String(MAX_REASON)} characters`);
      const { userId } = await find(input.args[0] ?? '');
      const removed = await parts.commands.execute(new RemoveFactors(context(), { userId, what: { reason } }));
      output.result(
        { userId, removed },
        removed === 0 ? 'The account has no second factor.' : `Second factors removed: ${String(removed)}`,
      );
      return 0;
    }),
};

const erase: CliAction = {
  about: 'Erase an account and the projects that it owns: its encryption key is deleted, so its data cannot be recovered',
  args: ['EMAIL|ID'],
  options: { yes: { type: 'boolean', about: 'do not ask for confirmation' } },
  run: ({ input, config, output }) =>
    withAccounts(config(), output, async ({ parts, context, find }) => {
      const row = await find(input.args[0] ?? '');
      const { userId, email } = await decrypted(row, parts.keyring);
      const isConfirmed =
        input.flag('yes') ||
        (await confirm(`Erase account ${String(userId)} (${email ?? ''}) and the projects that it owns? This cannot be undone.`));
      if (!isConfirmed) {
        output.say('Nothing was erased.');
        return 1;
      }
      await parts.get(AccountErasure).erase(context(), userId);
      output.result({ userId, erased: true }, `Account ${String(userId)} is erased.`);
      return 0;
    }),
};

/** The password of the command line, else a random one, which is printed. */
function passwordOf(input: CliInput): { readonly password: string; readonly isGenerated: boolean } {
  const given = input.text('password');
  if (given !== undefined && given.length < MIN_PASSWORD_LENGTH) throw new WrongUse('--password: must have at least 8 characters');
  return { password: given ?? randomBytes(12).toString('base64url'), isGenerated: given === undefined };
}

export const command: CliCommand = {
  about: 'List, create, change and erase accounts, beside a running service or without one',
  actions: { list, create, link, password, plan, role, 'remove-factors': removeFactors, erase },
};
