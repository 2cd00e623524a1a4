import { accountView } from '../../projections/read-models/account/account.view.ts';
import type { CliAction } from '../command.ts';
import { lineOf, listed } from './account-lines.ts';
import { withAccounts } from './account-session.ts';

export const list: CliAction = {
  about: 'List all accounts',
  run: ({ config, output }) =>
    withAccounts(config(), output, async ({ parts }) => {
      const items = await parts.views.now().list(accountView, { order: { by: 'number' } });
      const accounts = await Promise.all(items.map(({ row }) => listed(row, parts.keyring)));
      output.result({ accounts }, () => accounts.map(lineOf).join('\n'));
      return 0;
    }),
};
