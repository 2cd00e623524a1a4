import { type RoleId, roles } from '../../domain/project/roles.ts';
import { serviceScopes } from '../rights/scopes.ts';
import { scope, tokenUsage } from '../account/token.description.ts';
import { json, type Operations, takes, why } from '../description/operation.ts';
import { integer, list, named, orNull, record, text, type ValueOf, word } from '../description/schema.ts';
import { done, ID, idPath, instant, objectIdSchema, OTHER_ID } from '../description/vocabulary.ts';
import { shortList } from '../lists/list.ts';
import { ChangeServiceAccountDto, CreateServiceAccountDto, CreateServiceTokenDto } from './service-account.dto.ts';

const roleIds = Object.values(roles).map(({ id }): RoleId => id);

/** docs/spec/beyond.md#B28. */
const serviceAccount = named(
  'ServiceAccount',
  record('A program that acts in one project', {
    id: objectIdSchema('The service account'),
    name: text('Name, which the history shows'),
    role: word(roleIds, '4: admin, 5: developer, 6: guest'),
    created: instant('Time of creation'),
    tokens: integer('How many tokens it has, expired ones included', { minimum: 0 }),
  }),
);
export type ServiceAccountAnswer = ValueOf<typeof serviceAccount>;

const tokenFields = {
  tid: objectIdSchema('The token'),
  name: text('Purpose'),
  created: instant('Time of creation'),
  expiresAt: instant('Expiry'),
  scopes: orNull(list(scope, 'What it may do at most; null: everything that the role of its account comes with')),
  addresses: orNull(list(text('A network'), 'The networks that it may be used from; null: any')),
  lastUsedAt: orNull(instant('Time of the last use, to the minute; null: never used')),
  lastUsedFrom: orNull(text('The address of that use')),
};
const serviceToken = named('ServiceToken', record('A token of a service account', tokenFields));
export type ServiceTokenAnswer = ValueOf<typeof serviceToken>;
const madeToken = named(
  'MadeServiceToken',
  record('A new token: shown only once', { token: text('The token itself, a JWT'), ...tokenFields }),
);

const example: ServiceAccountAnswer = { id: OTHER_ID, name: 'deployments', role: '5', created: '2023-03-23T12:53:20+00:00', tokens: 1 };
const token: ServiceTokenAnswer = {
  tid: ID,
  name: 'build server',
  created: '2023-03-23T12:53:20+00:00',
  expiresAt: '2024-03-23T12:53:20+00:00',
  ...{ scopes: ['read', 'run'], addresses: null, lastUsedAt: null, lastUsedFrom: null },
};

const accountPath = { ...idPath, sid: objectIdSchema('The service account') };
const tokenPath = { ...accountPath, tid: objectIdSchema('The token') };
const unknownAccount = { 404: why('The project has no such service account') };
const unknownToken = { 404: why('The project has no such service account, or it has no such token') };

export const serviceAccountOperations: Operations = {
  'GET /project/:id/service-accounts': {
    id: 'listServiceAccounts',
    tag: 'Members',
    summary: 'List the service accounts of a project',
    path: idPath,
    list: shortList(serviceAccount, { name: 'service-accounts', key: 'id', sorts: ['created', 'name'], search: ['name'] }),
    answer: json(list(serviceAccount, 'In the order in which they were created'), [example]),
  },
  'POST /project/:id/service-accounts': {
    id: 'createServiceAccount',
    tag: 'Members',
    summary: 'Create a service account',
    description: `A program that acts in this project with a role, by tokens alone. It has the scopes of its role among ${serviceScopes.join(', ')}: people alone manage users and service accounts.`,
    path: idPath,
    body: takes(CreateServiceAccountDto, { name: 'deployments', role: '5' }),
    answer: json(serviceAccount, { ...example, tokens: 0 }),
    refusals: { 404: why('The project no longer exists'), 409: why('The project has too many service accounts') },
  },
  'GET /project/:id/service-accounts/:sid': {
    id: 'getServiceAccount',
    tag: 'Members',
    summary: 'Read a service account',
    path: accountPath,
    answer: json(serviceAccount, example),
    refusals: unknownAccount,
  },
  'PATCH /project/:id/service-accounts/:sid': {
    id: 'changeServiceAccount',
    tag: 'Members',
    summary: 'Rename a service account, or change its role',
    description: 'A caller cannot grant more permissions than it holds. Its tokens have the new role within a second on every instance.',
    path: accountPath,
    body: takes(ChangeServiceAccountDto, { role: '6' }),
    answer: json(serviceAccount, { ...example, role: '6' }),
    refusals: unknownAccount,
  },
  'DELETE /project/:id/service-accounts/:sid': {
    id: 'deleteServiceAccount',
    tag: 'Members',
    summary: 'Delete a service account, and end its tokens',
    description: 'Takes effect within a second on every instance; its open streams end within five.',
    path: accountPath,
    answer: done,
    refusals: unknownAccount,
  },
  'GET /project/:id/service-accounts/:sid/tokens': {
    id: 'listServiceTokens',
    tag: 'Members',
    summary: 'List the tokens of a service account',
    path: accountPath,
    list: shortList(serviceToken, {
      ...{ name: 'tokens', key: 'tid', sorts: ['created', 'name', 'lastUsedAt', 'expiresAt'], search: ['name'] },
    }),
    answer: json(list(serviceToken, 'Those that were not revoked, in the order in which they were created'), [token]),
    refusals: unknownAccount,
  },
  'POST /project/:id/service-accounts/:sid/tokens': {
    id: 'createServiceToken',
    tag: 'Members',
    summary: 'Create a token of a service account',
    description: 'Only this answer shows its value. A narrowed token makes none that is wider than itself.',
    path: accountPath,
    body: takes(CreateServiceTokenDto, { name: 'build server', exp: '+1 year', scopes: ['read', 'run'] }),
    answer: json(madeToken, { token: 'eyJhbGciOiJIUzI1NiJ9.e30.c2ln', ...token }),
    refusals: { ...unknownAccount, 409: why('The service account has too many tokens') },
  },
  'DELETE /project/:id/service-accounts/:sid/tokens/:tid': {
    id: 'revokeServiceToken',
    tag: 'Members',
    summary: 'Revoke a token of a service account',
    description: 'Takes effect within a second on every instance.',
    path: tokenPath,
    answer: done,
    refusals: unknownToken,
  },
  'GET /project/:id/service-accounts/:sid/tokens/:tid/usage': {
    id: 'getServiceTokenUsage',
    tag: 'Members',
    summary: 'Read which scopes a token of a service account needs',
    description: 'By what it did in the last 90 days, through all instances.',
    path: tokenPath,
    answer: json(tokenUsage, {
      tid: ID,
      since: '2023-03-23T12:53:20+00:00',
      used: [{ scope: 'read', days: 12, lastDay: '2023-06-01' }],
      smallest: ['read'],
      wouldRefuse: ['run'],
    }),
    refusals: unknownToken,
  },
};
