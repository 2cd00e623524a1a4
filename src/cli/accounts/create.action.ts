import { randomBytes } from 'node:crypto';
import { OpenAccount } from '../../commands/account.commands.ts';
import { systemRoles } from '../../domain/account/settings.ts';
import { StartRefused } from '../../kernel/start-refused.ts';
import { type CliAction, WrongUse } from '../command.ts';
import { withAccounts } from './account-session.ts';

const EMAIL = /^[^\s@<>]+@[^\s@<>]+$/;

export const create: CliAction = {
  about: 'Make an account, which counts as confirmed; without --password one is made up and printed',
  args: ['EMAIL'],
  options: {
    name: { type: 'string', value: 'NAME', about: 'what the person is called (default: what stands before the @)' },
    password: { type: 'string', value: 'PASSWORD', about: 'at least 8 characters; seen by who may list the processes' },
    plan: { type: 'string', value: 'PLAN', about: 'default: DEFAULT_PLAN' },
    role: { type: 'string', value: 'ROLE', about: 'a system role: admin or auditor' },
  },
  run: ({ input, config, output }) =>
    withAccounts(config(), output, async ({ config: settings, tools, plans, context }) => {
      const email = input.args[0]?.trim() ?? '';
      if (!EMAIL.test(email) || email.length > 254) throw new WrongUse(`'${email}' is no e-mail address`);
      const plan = input.text('plan') ?? settings.defaultPlan;
      if (!plans.has(plan)) throw new WrongUse(`there is no plan '${plan}': ${[...plans.keys()].join(', ')}`);
      const given = input.text('role');
      const systemRole = systemRoles.find((role) => role === given) ?? null;
      if (given !== undefined && systemRole === null) throw new WrongUse(`a role is one of ${systemRoles.join(', ')}`);
      const chosen = input.text('password');
      if (chosen !== undefined && chosen.length < 8) throw new WrongUse('a password has at least 8 characters');
      const password = chosen ?? randomBytes(12).toString('base64url');
      const name = input.text('name') ?? email.slice(0, email.lastIndexOf('@'));
      const wanted = { email, name, password, plan, systemRole, confirmed: true, by: 'administrator' } as const;
      const { userId, opened } = await tools.commands.execute(new OpenAccount(context(), wanted));
      if (!opened) throw new StartRefused(`${email} has an account already`);
      const shown = chosen === undefined ? { password } : {};
      output.result({ userId, email, plan, systemRole, ...shown }, () =>
        [`Account ${String(userId)} for ${email}`, ...(chosen === undefined ? [`Password, shown only this once: ${password}`] : [])].join(
          '\n',
        ),
      );
      return 0;
    }),
};
