import { MAX_TOKEN_ADDRESSES, MAX_TOKEN_PROJECTS, type TokenScope, tokenScopes } from './token-scopes.ts';
import { OBJECT_ID } from '../kernel/ids.ts';
import { readNetwork } from '../platform/security/networks.ts';
import { expiry, ownCode, ownPassword } from './sign-in/authenticate.api.ts';
import { type Schema, text, word, flag, integer, list, named, orNull, record, type ValueOf } from '../platform/http/description/schema.ts';
import { objectIdSchema, done, instant } from '../platform/http/description/vocabulary.ts';
import { filledText, listOf, nullable, trimmed } from '../platform/http/validation/fields.ts';
import { Input, type InputField, OptionalOrNull, Required } from '../platform/http/validation/input.ts';
import { json, type Operations, takes, why } from '../platform/http/description/operation.ts';
import { shortList } from '../platform/http/lists/list.ts';

const some = <Item extends string>(
  about: string,
  item: { readonly schema: Schema<Item>; readonly accepts: (given: unknown) => boolean; readonly must: string },
  maxItems: number,
): InputField<Item[] | null> => nullable(listOf(about, item, { minItems: 1, maxItems }));

export const scopes = some<TokenScope>(
  'What the token may do at most; null: everything that its account may',
  {
    schema: word(tokenScopes, 'A scope'),
    accepts: (given) => tokenScopes.some((scope) => scope === given),
    must: `one of ${tokenScopes.join(', ')}`,
  },
  tokenScopes.length,
);
const projects = some(
  'The projects that the token is for; null: all of the account, and what is about no project',
  {
    schema: objectIdSchema('A project'),
    accepts: (given) => typeof given === 'string' && OBJECT_ID.test(given),
    must: 'ids of projects',
  },
  MAX_TOKEN_PROJECTS,
);
export const addresses = some(
  'The networks that the token may be used from; null: any',
  {
    schema: text('A network or an address', { maxLength: 64, examples: ['192.0.2.0/24', '2001:db8::/32'] }),
    accepts: (given) => typeof given === 'string' && readNetwork(given) !== null,
    must: 'networks such as 192.0.2.0/24 or 2001:db8::/32, without bits beyond the prefix',
  },
  MAX_TOKEN_ADDRESSES,
);

@Input('NewToken', 'Purpose, expiry and limits of a token')
export class CreateTokenDto {
  @Required(trimmed(filledText('Purpose', 200))) name!: string;
  @OptionalOrNull(expiry('+1 year')) exp?: string | null;
  @OptionalOrNull(scopes) scopes?: TokenScope[] | null;
  @OptionalOrNull(projects) projects?: string[] | null;
  @OptionalOrNull(addresses) addresses?: string[] | null;
  @OptionalOrNull(ownPassword) password?: string | null;
  @OptionalOrNull(ownCode) code?: string | null;
}

const fields = {
  tid: objectIdSchema('The token'),
  kind: word(
    ['login', 'session', 'personal'],
    'login: a session that began with POST /authenticate; session: one of the console, which began with POST /session; personal: a personal access token',
    { examples: ['personal'] },
  ),
  name: orNull(text('Purpose; null of a session', { examples: ['deploy script'] })),
  created: instant('Time of creation'),
  lastUsed: orNull(instant('As `lastUsedAt`')),
  lastUsedAt: orNull(instant('Time of the last use, to the minute; null: never used')),
  lastUsedFrom: orNull(text('The address of that use', { examples: ['192.0.2.7'] })),
  expiresAt: instant('Expiry', '2024-03-23T12:53:20+00:00'),
  scopes: orNull(
    list(word(tokenScopes, 'A scope'), 'What it may do at most; null: everything that its account may', {
      examples: [['read', 'run']],
    }),
  ),
  projects: orNull(list(objectIdSchema('A project'), 'The projects that it is for; null: not limited to projects')),
  addresses: orNull(list(text('A network'), 'The networks that it may be used from; null: any', { examples: [['192.0.2.0/24']] })),
  address: orNull(text('Of a session: the address that signed in')),
  userAgent: orNull(text('Of a session: the program that signed in')),
  current: flag('The token of this request', { examples: [false] }),
};

/** docs/spec/decisions.md#A4. */
const personalToken = named('PersonalToken', record('A personal access token or a session', fields));
export type PersonalTokenAnswer = ValueOf<typeof personalToken>;

const madeToken = named(
  'MadeToken',
  record('A new token: shown only once', {
    token: text('The token itself, a JWT', { examples: ['eyJhbGciOiJIUzI1NiJ9.e30.c2ln'] }),
    ...fields,
  }),
);

export const scope = word(tokenScopes, 'A scope');
export const tokenUsage = named(
  'TokenUsage',
  record('What a personal token needed in the last 90 days', {
    tid: objectIdSchema('The token'),
    since: instant('Beginning of the days that are looked at'),
    used: list(
      record('A scope that it needed', {
        scope,
        days: integer('On how many UTC days', { minimum: 1, examples: [12] }),
        lastDay: text('The newest of them', { format: 'date', examples: ['2023-06-01'] }),
      }),
      'By scope',
    ),
    smallest: list(scope, 'The fewest scopes with which nothing of that would have been refused'),
    wouldRefuse: list(scope, 'The scopes that it has and that those leave out: what a token of `smallest` refuses', {
      examples: [['run']],
    }),
  }),
);
export type TokenUsageAnswer = ValueOf<typeof tokenUsage>;

export const tokenOperations: Operations = {
  'GET /account/tokens': {
    id: 'listTokens',
    tag: 'Account',
    summary: 'List personal access tokens and sessions',
    list: shortList(personalToken, {
      name: 'tokens',
      key: 'tid',
      sorts: ['-created', 'name', 'lastUsed', 'lastUsedAt', 'expiresAt'],
      search: ['name', 'address', 'userAgent'],
    }),
    answer: json(list(personalToken, 'Personal tokens that were not revoked, and sessions, the newest first')),
  },
  'POST /account/tokens': {
    id: 'createToken',
    tag: 'Account',
    summary: 'Create a personal access token',
    description: 'Only this answer shows its value. A narrowed token makes none that is wider than itself.',
    body: takes(CreateTokenDto, { name: 'deploy script', exp: '+1 month', scopes: ['read', 'run'], addresses: ['192.0.2.0/24'] }),
    answer: json(madeToken),
    refusals: { 409: why('The account has too many tokens') },
  },
  'GET /account/tokens/:tid/usage': {
    id: 'getTokenUsage',
    tag: 'Account',
    summary: 'Read which scopes a personal token needs',
    description: 'By what it did in the last 90 days, through all instances.',
    path: { tid: objectIdSchema('The token') },
    answer: json(tokenUsage),
    refusals: { 404: why('The account has no such personal token') },
  },
  'DELETE /account/tokens/:tid': {
    id: 'revokeToken',
    tag: 'Account',
    summary: 'Revoke a personal access token, or end a session',
    description: 'Takes effect within a second on every instance.',
    path: { tid: objectIdSchema('The token') },
    answer: done,
    refusals: { 404: why('The token does not exist') },
  },
};
