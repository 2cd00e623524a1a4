import { EXP } from '../auth/authenticate.description.ts';
import { json, type Operations, why } from '../description/operation.ts';
import { list, orNull, record, ref, text } from '../description/schema.ts';
import { instant, objectId, OTHER_ID, success } from '../description/vocabulary.ts';

const token = {
  tid: OTHER_ID,
  name: 'deploy script',
  created: '2023-03-23T12:53:20+00:00',
  lastUsed: null,
  expiresAt: '2024-03-23T12:53:20+00:00',
};

const known = {
  tid: objectId('The token'),
  name: orNull(text('What it is for')),
  created: instant('When it was made'),
  lastUsed: orNull(instant('When it was last used; null: never')),
  expiresAt: instant('When it ends'),
};

/** docs/spec/decisions.md#A4. */
export const tokenSchemas = {
  PersonalToken: record('A personal access token', known),
  NewToken: record(
    'What it is for, and until when',
    { name: text('What it is for', { minLength: 1, maxLength: 200 }) },
    { exp: { ...EXP, default: '+1 year' } },
  ),
  MadeToken: record('A new token: shown this once', { token: text('The token itself, a JWT'), ...known }),
};

export const tokenOperations: Operations = {
  'GET /account/tokens': {
    id: 'listTokens',
    tag: 'Account',
    summary: 'Personal access tokens',
    answer: json(list(ref('PersonalToken'), 'All that were not revoked'), [token]),
  },
  'POST /account/tokens': {
    id: 'createToken',
    tag: 'Account',
    summary: 'Make a personal access token',
    description: 'Its value is shown in this answer and never again.',
    body: { schema: ref('NewToken'), example: { name: 'deploy script', exp: '+1 month' } },
    answer: json(ref('MadeToken'), { token: 'eyJhbGciOiJIUzI1NiJ9.e30.c2ln', ...token }),
    refusals: { 409: why('There are too many tokens') },
  },
  'DELETE /account/tokens/:tid': {
    id: 'revokeToken',
    tag: 'Account',
    summary: 'Revoke a personal access token',
    description: 'Takes effect within a second on every instance.',
    path: { tid: objectId('The token') },
    answer: json(ref('Success'), success),
    refusals: { 404: why('There is no such token') },
  },
};
