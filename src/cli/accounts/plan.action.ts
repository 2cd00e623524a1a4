import { AdministerAccount } from '../../commands/account.commands.ts';
import { type CliAction, WrongUse } from '../command.ts';
import { withAccounts } from './account-session.ts';

export const plan: CliAction = {
  about: 'Put an account on another plan',
  args: ['EMAIL|ID', 'PLAN'],
  run: ({ input, config, output }) =>
    withAccounts(config(), output, async ({ tools, plans, context, find }) => {
      const [name = '', wanted = ''] = input.args;
      if (!plans.has(wanted)) throw new WrongUse(`there is no plan '${wanted}': ${[...plans.keys()].join(', ')}`);
      const { userId } = await find(name);
      await tools.commands.execute(new AdministerAccount(context(), userId, { plan: wanted }));
      output.result({ userId, plan: wanted }, `Account ${String(userId)} is on plan ${wanted}`);
      return 0;
    }),
};
