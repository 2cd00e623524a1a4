import { AdministerAccount } from '../../commands/account.commands.ts';
import { systemRoles } from '../../domain/account/settings.ts';
import { type CliAction, WrongUse } from '../command.ts';
import { withAccounts } from './account-session.ts';

export const role: CliAction = {
  about: 'Give an account a system role, admin or auditor, or take it away: none',
  args: ['EMAIL|ID', 'ROLE'],
  run: ({ input, config, output }) =>
    withAccounts(config(), output, async ({ tools, context, find }) => {
      const [name = '', wanted = ''] = input.args;
      const systemRole = systemRoles.find((known) => known === wanted) ?? null;
      if (systemRole === null && wanted !== 'none') throw new WrongUse(`a role is one of ${systemRoles.join(', ')}, none`);
      const { userId } = await find(name);
      await tools.commands.execute(new AdministerAccount(context(), userId, { systemRole }));
      output.result(
        { userId, systemRole },
        `Account ${String(userId)} has ${systemRole === null ? 'no system role' : `the system role ${systemRole}`}`,
      );
      return 0;
    }),
};
