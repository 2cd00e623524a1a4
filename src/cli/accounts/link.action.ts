import { OfferLink } from '../../commands/password.commands.ts';
import { linkTo } from '../../http/account/links.ts';
import type { CliAction } from '../command.ts';
import { withAccounts } from './account-session.ts';

const LASTS_MS = 24 * 3_600_000;

export const link: CliAction = {
  about: 'Print a link with which somebody confirms the address and sets a password; it works once, for a day',
  args: ['EMAIL|ID'],
  run: ({ input, config, output }) =>
    withAccounts(config(), output, async ({ config: settings, tools, context, find }) => {
      const { userId } = await find(input.args[0] ?? '');
      const expiresAt = new Date(Date.now() + LASTS_MS);
      const { token, purpose } = await tools.commands.execute(new OfferLink(context(), userId, 'password', expiresAt));
      const address = linkTo(settings, purpose, token);
      output.result({ userId, link: address, token, expiresAt: expiresAt.toISOString() }, address);
      return 0;
    }),
};
