import { randomBytes } from 'node:crypto';
import { ChangePassword } from '../../commands/password.commands.ts';
import { type CliAction, WrongUse } from '../command.ts';
import { withAccounts } from './account-session.ts';

export const password: CliAction = {
  about: 'Set a new password and end every token of the account; without --password one is made up and printed',
  args: ['EMAIL|ID'],
  options: { password: { type: 'string', value: 'PASSWORD', about: 'at least 8 characters; seen by who may list the processes' } },
  run: ({ input, config, output }) =>
    withAccounts(config(), output, async ({ tools, context, find }) => {
      const chosen = input.text('password');
      if (chosen !== undefined && chosen.length < 8) throw new WrongUse('a password has at least 8 characters');
      const { userId } = await find(input.args[0] ?? '');
      const made = chosen ?? randomBytes(12).toString('base64url');
      await tools.commands.execute(new ChangePassword(context(), userId, made, 'administrator'));
      const shown = chosen === undefined ? { password: made } : {};
      output.result({ userId, ...shown }, chosen === undefined ? `Password, shown only this once: ${made}` : 'Done.');
      return 0;
    }),
};
