import { CreateServiceAccount, ChangeServiceAccount, DeleteServiceAccount, RevokeServiceToken } from './service-account.commands.ts';
import { systemRoles } from '../../accounts/account.settings.ts';
import { roles, type ServiceRole } from '../../accounts/rights/roles.ts';
import type { KnownServiceAccount } from './service-account.view.ts';
import { type CliAction, type CliCommand, type CliInput, WrongUse } from '../../platform/cli/command.ts';
import { makeServiceToken, TOKEN_OPTIONS } from './make-service-token.ts';
import { PROJECT, type ServiceAccountSession, withServiceAccounts } from './service-account-session.ts';

const MOST_NAME = 100;

const list: CliAction = {
  about: 'List the service accounts of the installation, or of a project, with their tokens',
  options: PROJECT,
  run: ({ input, config, output }) =>
    withServiceAccounts(input, config(), output, async ({ all }) => {
      const accounts = await all();
      output.result({ serviceAccounts: accounts.map(shown) }, () => accounts.map(linesOf).join('\n'));
      return 0;
    }),
};

const create: CliAction = {
  about: 'Create a service account; ROLE is admin or auditor, in a project 4, 5 or 6',
  args: ['NAME', 'ROLE'],
  options: PROJECT,
  run: ({ input, config, output }) =>
    withServiceAccounts(input, config(), output, async ({ parts, manager, context }) => {
      const name = input.args[0]?.trim() ?? '';
      if (name === '' || name.length > MOST_NAME) throw new WrongUse(`NAME: must be 1 to ${String(MOST_NAME)} characters`);
      const role = roleOf(input);
      const id = await parts.commands.execute(new CreateServiceAccount(context(), manager, { name, role }));
      output.result({ id, name, role }, `Service account ${id} (${name}) with the role ${role}`);
      return 0;
    }),
};

const role: CliAction = {
  about: 'Change the role of a service account',
  args: ['ID', 'ROLE'],
  options: PROJECT,
  run: ({ input, config, output }) =>
    withServiceAccounts(input, config(), output, async (session) => {
      const { id } = await oneOf(session, input);
      const wanted = roleOf(input);
      await session.parts.commands.execute(new ChangeServiceAccount(session.context(), session.manager, id, { role: wanted }));
      output.result({ id, role: wanted }, `Service account ${id} has the role ${wanted}`);
      return 0;
    }),
};

const remove: CliAction = {
  about: 'Delete a service account: its tokens end at once, its subscriptions within a minute',
  args: ['ID'],
  options: PROJECT,
  run: ({ input, config, output }) =>
    withServiceAccounts(input, config(), output, async (session) => {
      const { id, name } = await oneOf(session, input);
      await session.parts.commands.execute(new DeleteServiceAccount(session.context(), session.manager, id));
      output.result({ id, deleted: true }, `Service account ${id} (${name}) deleted`);
      return 0;
    }),
};

const token: CliAction = {
  about: 'Make a token of a service account, and print it this once',
  args: ['ID', 'NAME'],
  options: { ...PROJECT, ...TOKEN_OPTIONS },
  run: ({ input, config, output }) =>
    withServiceAccounts(input, config(), output, async (session) => {
      const account = await oneOf(session, input);
      const made = await makeServiceToken(session, account, input);
      output.result(made, `Token ${made.tid}, valid until ${made.expiresAt}, shown only this once: ${made.token}`);
      return 0;
    }),
};

const revoke: CliAction = {
  about: 'Revoke a token of a service account',
  args: ['ID', 'TOKEN-ID'],
  options: PROJECT,
  run: ({ input, config, output }) =>
    withServiceAccounts(input, config(), output, async (session) => {
      const { id } = await oneOf(session, input);
      const tid = input.args[1] ?? '';
      await session.parts.commands.execute(new RevokeServiceToken(session.context(), session.manager, id, tid));
      output.result({ id, tid, revoked: true }, `Token ${tid} revoked`);
      return 0;
    }),
};

const oneOf = (session: ServiceAccountSession, input: CliInput): Promise<KnownServiceAccount> => session.find(input.args[0] ?? '');

function roleOf(input: CliInput): ServiceRole {
  const given = input.args[1] ?? '';
  const allowed: readonly ServiceRole[] = input.text('project') === undefined ? systemRoles : Object.values(roles).map(({ id }) => id);
  const found = allowed.find((known) => known === given);
  if (found === undefined) throw new WrongUse(`ROLE: must be one of ${allowed.join(', ')}, found '${given}'`);
  return found;
}

const shown = ({ id, name, role: held, createdAt, tokens }: KnownServiceAccount) => ({
  ...{ id, name, role: held, createdAt },
  tokens: tokens.map(({ tokenId: tid, name: purpose, expiresAt, scopes }) => ({ tid, name: purpose, expiresAt, scopes })),
});

const linesOf = ({ id, name, role: held, tokens }: KnownServiceAccount): string =>
  [
    [id, held, name].join('  '),
    ...tokens.map(({ tokenId, name: purpose, expiresAt }) => `  ${tokenId}  until ${expiresAt}  ${purpose}`),
  ].join('\n');

export const command: CliCommand = {
  about: 'List, create, change and delete service accounts and their tokens, beside a running service or without one',
  actions: { list, create, role, delete: remove, token, revoke },
};
