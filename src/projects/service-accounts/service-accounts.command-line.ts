import {
  ChangeServiceAccount,
  CreateServiceAccount,
  DeleteServiceAccount,
  IssueServiceToken,
  RevokeServiceToken,
} from './service-account.commands.ts';
import { systemRoles } from '../../accounts/account.settings.ts';
import { roles, serviceNumber, type ServiceRole } from '../../accounts/rights/roles.ts';
import type { KnownServiceAccount } from './service-account.view.ts';
import { type CliAction, type CliCommand, type CliInput, WrongUse } from '../../platform/cli/command.ts';
import { PROJECT, type ServiceAccountSession, withServiceAccounts } from './command-line/service-account-session.ts';
import type { TokenScope } from '../../accounts/token-scopes.ts';
import { readExpiry } from '../../accounts/sign-in/expiry.ts';
import { TokenSigner } from '../../accounts/sign-in/token-signer.ts';
import { scopesOfService } from '../../accounts/rights/scopes.ts';
import { readNetwork } from '../../platform/security/networks.ts';

const TOKEN_OPTIONS = {
  expires: { type: 'string', value: 'TIME', about: 'such as "+3 months", at most a year from now (default: "+1 year")' },
  scopes: { type: 'string', value: 'A,B', about: 'what it may do at most (default: all that its role allows)' },
  addresses: { type: 'string', value: 'A,B', about: 'the networks that it may be used from (default: any)' },
} as const;

interface PrintedToken {
  readonly tid: string;
  readonly token: string;
  readonly expiresAt: string;
}

async function makeServiceToken(
  { parts, manager, context }: ServiceAccountSession,
  { id, role }: KnownServiceAccount,
  input: CliInput,
): Promise<PrintedToken> {
  const expiry = readExpiry(input.text('expires') ?? '+1 year', Date.now());
  if ('problem' in expiry) throw new WrongUse(`--expires: ${expiry.problem}`);
  const wanted = {
    name: input.args[1] ?? '',
    expiresAt: new Date(expiry.at),
    scopes: scopesIn(input.text('scopes'), scopesOfService(role)),
    addresses: networksIn(input.text('addresses')),
  };
  const issued = await parts.commands.execute(new IssueServiceToken(context(), { manager, serviceAccountId: id, wanted }));
  const signer = await TokenSigner.open(parts.rotating.jwt);
  return {
    tid: issued.tokenId,
    token: signer.sign(serviceNumber(id), issued.tokenId, issued),
    expiresAt: issued.expiresAt.toISOString(),
  };
}

const listed = (text: string): readonly string[] => [...new Set(text.split(',').map((one) => one.trim()))];

function scopesIn(text: string | undefined, ofRole: readonly TokenScope[]): readonly TokenScope[] | null {
  if (text === undefined) return null;
  return listed(text).map((given) => {
    const scope = ofRole.find((one) => one === given);
    if (scope === undefined) throw new WrongUse(`--scopes: must be of ${ofRole.join(', ')}, found '${given}'`);
    return scope;
  });
}

function networksIn(text: string | undefined): readonly string[] | null {
  if (text === undefined) return null;
  return listed(text).map((given) => {
    const network = readNetwork(given);
    if (network === null) throw new WrongUse(`--addresses: '${given}' is not a network such as 192.0.2.0/24`);
    return network;
  });
}

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
      const id = await parts.commands.execute(new CreateServiceAccount(context(), { manager, wanted: { name, role } }));
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
      await session.parts.commands.execute(
        new ChangeServiceAccount(session.context(), { manager: session.manager, serviceAccountId: id, wanted: { role: wanted } }),
      );
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
      await session.parts.commands.execute(new DeleteServiceAccount(session.context(), { manager: session.manager, serviceAccountId: id }));
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
      await session.parts.commands.execute(
        new RevokeServiceToken(session.context(), { manager: session.manager, serviceAccountId: id, tokenId: tid }),
      );
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
  id,
  name,
  role: held,
  createdAt,
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
