import { type SystemRole, systemRoles } from '../../accounts/account.settings.ts';
import type { TokenScope } from '../../accounts/token-scopes.ts';
import { type RoleId, roles, type ServiceRole } from '../../accounts/rights/roles.ts';
import { addresses, scopes, scope, tokenUsage } from '../../accounts/token.api.ts';
import { expiry, ownCode, ownPassword } from '../../accounts/sign-in/authenticate.api.ts';
import { role } from '../members/member.api.ts';
import { filledText, oneOf, trimmed } from '../../platform/http/validation/fields.ts';
import { Input, Optional, OptionalOrNull, Required, type InputClass } from '../../platform/http/validation/input.ts';
import { scopesOfService, serviceScopes } from '../../accounts/rights/scopes.ts';
import { exampleOf } from '../../platform/http/description/example.ts';
import { json, type Operation, type Operations, takes, why } from '../../platform/http/description/operation.ts';
import { integer, list, named, orNull, record, text, type ValueOf, word } from '../../platform/http/description/schema.ts';
import { done, idPath, instant, objectIdSchema, PROOF } from '../../platform/http/description/vocabulary.ts';
import { shortList } from '../../platform/http/lists/list.ts';

const name = trimmed(filledText('Name, which the history shows', 100));

@Input('NewServiceAccount', 'Name and role of a service account')
export class CreateServiceAccountDto {
  @Required(name) name!: string;
  @Required(role) role!: RoleId;
}

@Input('ServiceAccountChange', 'What is to change of a service account')
export class ChangeServiceAccountDto {
  @Optional(name) name?: string;
  @Optional(role) role?: RoleId;
  @OptionalOrNull(ownPassword) password?: string | null;
  @OptionalOrNull(ownCode) code?: string | null;
}

const systemRole = oneOf('auditor: reads everything; admin: also runs projections and changes destinations', systemRoles);

@Input('NewInstallationServiceAccount', 'Name and system role of a service account of the installation')
export class CreateInstallationServiceAccountDto {
  @Required(name) name!: string;
  @Required(systemRole) role!: SystemRole;
}

@Input('InstallationServiceAccountChange', 'What is to change of a service account of the installation')
export class ChangeInstallationServiceAccountDto {
  @Optional(name) name?: string;
  @Optional(systemRole) role?: SystemRole;
  @OptionalOrNull(ownPassword) password?: string | null;
  @OptionalOrNull(ownCode) code?: string | null;
}

@Input('NewServiceToken', 'Purpose, expiry and limits of a token of a service account')
export class CreateServiceTokenDto {
  @Required(trimmed(filledText('Purpose', 200))) name!: string;
  @OptionalOrNull(expiry('+1 year')) exp?: string | null;
  @OptionalOrNull(scopes) scopes?: TokenScope[] | null;
  @OptionalOrNull(addresses) addresses?: string[] | null;
  @OptionalOrNull(ownPassword) password?: string | null;
  @OptionalOrNull(ownCode) code?: string | null;
}

const roleIds: readonly ServiceRole[] = [...Object.values(roles).map(({ id }) => id), ...systemRoles];

const serviceAccount = named(
  'ServiceAccount',
  record('A program that acts in one project, or for the installation', {
    id: objectIdSchema('The service account'),
    name: text('Name, which the history shows', { examples: ['deployments'] }),
    role: word(roleIds, 'In a project 4: admin, 5: developer, 6: guest; of the installation a system role', { examples: ['5'] }),
    created: instant('Time of creation'),
    tokens: integer('How many tokens it has, expired ones included', { minimum: 0, examples: [1] }),
  }),
);
export type ServiceAccountAnswer = ValueOf<typeof serviceAccount>;

const tokenFields = {
  tid: objectIdSchema('The token'),
  name: text('Purpose', { examples: ['build server'] }),
  created: instant('Time of creation'),
  expiresAt: instant('Expiry', '2024-03-23T12:53:20+00:00'),
  scopes: orNull(
    list(scope, 'What it may do at most; null: everything that the role of its account comes with', { examples: [['read', 'run']] }),
  ),
  addresses: orNull(list(text('A network'), 'The networks that it may be used from; null: any')),
  lastUsedAt: orNull(instant('Time of the last use, to the minute; null: never used')),
  lastUsedFrom: orNull(text('The address of that use', { examples: ['192.0.2.7'] })),
};
const serviceToken = named('ServiceToken', record('A token of a service account', tokenFields));
export type ServiceTokenAnswer = ValueOf<typeof serviceToken>;
const madeToken = named(
  'MadeServiceToken',
  record('A new token: shown only once', {
    token: text('The token itself, a JWT', { examples: ['eyJhbGciOiJIUzI1NiJ9.e30.c2ln'] }),
    ...tokenFields,
  }),
);

const unknownAccount = { 404: why('There is no such service account') };
const unknownToken = { 404: why('There is no such service account, or it has no such token') };

interface Owner {
  readonly base: string;
  /** At the end of each id. */
  readonly suffix: string;
  readonly of: string;
  readonly path: Operation['path'];
  readonly made: InputClass;
  readonly changed: InputClass;
  /** What the example has otherwise. */
  readonly example: Partial<ServiceAccountAnswer>;
  readonly description: string;
  readonly refusals: Operation['refusals'];
}

type Name = (id: string, summary: string) => Pick<Operation, 'id' | 'tag' | 'summary'>;

function tokenOperationsOf(base: string, named: Name, accountPath: NonNullable<Operation['path']>): Operations {
  const one = { path: accountPath, refusals: unknownAccount };
  const token = { path: { ...accountPath, tid: objectIdSchema('The token') }, refusals: unknownToken };
  return {
    [`GET ${base}/:sid/tokens`]: {
      ...named('listServiceTokens', 'List the tokens of a service account'),
      ...one,
      list: shortList(serviceToken, {
        name: 'tokens',
        key: 'tid',
        sorts: ['created', 'name', 'lastUsedAt', 'expiresAt'],
        search: ['name'],
      }),
      answer: json(list(serviceToken, 'Those that were not revoked, in the order in which they were created')),
    },
    [`POST ${base}/:sid/tokens`]: {
      ...named('createServiceToken', 'Create a token of a service account'),
      ...one,
      description: 'Only this answer shows its value. A narrowed token makes none that is wider than itself.',
      body: takes(CreateServiceTokenDto, { name: 'build server', exp: '+1 year', scopes: ['read', 'run'] }),
      answer: json(madeToken),
      refusals: { ...unknownAccount, 409: why('The service account has too many tokens') },
    },
    [`DELETE ${base}/:sid/tokens/:tid`]: {
      ...named('revokeServiceToken', 'Revoke a token of a service account'),
      ...token,
      description: 'Takes effect within a second on every instance.',
      answer: done,
    },
    [`GET ${base}/:sid/tokens/:tid/usage`]: {
      ...named('getServiceTokenUsage', 'Read which scopes a token needs of a service account'),
      ...token,
      description: 'By what it did in the last 90 days, through all instances.',
      answer: json(tokenUsage),
    },
  };
}

function operationsOf({ base, suffix, of, path, made, changed, example, description, refusals }: Owner): Operations {
  const all = path === undefined ? {} : { path };
  const accountPath = { ...path, sid: objectIdSchema('The service account') };
  const one = { path: accountPath, refusals: unknownAccount };
  const named: Name = (id, summary) => ({
    id: `${id}${suffix}`,
    tag: path === undefined ? 'Accounts' : 'Members',
    summary: `${summary} of ${of}`,
  });
  return {
    [`GET ${base}`]: {
      ...named('listServiceAccounts', 'List the service accounts'),
      ...all,
      list: shortList(serviceAccount, { name: 'service-accounts', key: 'id', sorts: ['created', 'name'], search: ['name'] }),
      answer: json(list(serviceAccount, 'In the order in which they were created'), [exampleOf(serviceAccount, example)]),
    },
    [`POST ${base}`]: {
      ...named('createServiceAccount', 'Create a service account'),
      ...all,
      description,
      body: takes(made, { name: 'deployments', role: '5', ...example }),
      answer: json(serviceAccount, { ...example, tokens: 0 }),
      refusals: { ...refusals, 409: why('There are as many service accounts as there may be') },
    },
    [`GET ${base}/:sid`]: { ...named('getServiceAccount', 'Read a service account'), ...one, answer: json(serviceAccount, example) },
    [`PATCH ${base}/:sid`]: {
      ...named('changeServiceAccount', 'Rename, or change the role of, a service account'),
      ...one,
      description: `A caller cannot grant more permissions than it holds. A role with more permissions needs ${PROOF}. Its tokens have the new role within a second on every instance.`,
      body: takes(changed, { name: 'releases' }),
      answer: json(serviceAccount, { ...example, name: 'releases' }),
    },
    [`DELETE ${base}/:sid`]: {
      ...named('deleteServiceAccount', 'Delete a service account'),
      ...one,
      description: 'Ends its tokens within a second on every instance, its open streams within five, its subscriptions within a minute.',
      answer: done,
    },
    ...tokenOperationsOf(base, named, accountPath),
  };
}

/** docs/spec/beyond.md#B28. */
export const serviceAccountOperations: Operations = {
  ...operationsOf({
    base: '/project/:id/service-accounts',
    suffix: '',
    of: 'a project',
    path: idPath,
    example: {},
    made: CreateServiceAccountDto,
    changed: ChangeServiceAccountDto,
    description: `A program that acts in this project with a role, by tokens alone. It has the scopes of its role among ${serviceScopes.join(', ')}: people alone manage users and service accounts.`,
    refusals: { 404: why('The project no longer exists') },
  }),
  ...operationsOf({
    base: '/service-accounts',
    suffix: 'OfInstallation',
    of: 'the installation',
    path: undefined,
    example: { name: 'warehouse', role: 'auditor' },
    made: CreateInstallationServiceAccountDto,
    changed: ChangeInstallationServiceAccountDto,
    description: `A program with a system role, by tokens alone: an auditor has the scopes ${scopesOfService('auditor').join(', ')}, an admin ${scopesOfService('admin').join(', ')}. People alone manage accounts and service accounts.`,
    refusals: {},
  }),
};
