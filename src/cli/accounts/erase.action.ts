import type { CliAction } from '../command.ts';
import { withAccounts } from './account-session.ts';
import { confirm } from './ask.ts';
import { listed } from './account-lines.ts';

export const erase: CliAction = {
  about: 'Erase an account with the projects that it owns: its key is deleted, and nothing brings back what was sealed with it',
  args: ['EMAIL|ID'],
  options: { yes: { type: 'boolean', about: 'do not ask' } },
  run: ({ input, config, output }) =>
    withAccounts(config(), output, async ({ parts, tools, context, find }) => {
      const row = await find(input.args[0] ?? '');
      const { userId, email } = await listed(row, parts.keyring);
      const sure =
        input.flag('yes') || (await confirm(`Erase account ${String(userId)} (${email ?? ''}) and the projects that it owns, for good?`));
      if (!sure) {
        output.say('Nothing was erased.');
        return 1;
      }
      await tools.erasure.erase(context(), userId);
      output.result({ userId, erased: true }, `Account ${String(userId)} is erased.`);
      return 0;
    }),
};
