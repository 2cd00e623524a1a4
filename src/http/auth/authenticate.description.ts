import { asText, json, type Operations, why } from '../description/operation.ts';
import { integer, record, ref, text } from '../description/schema.ts';
import { instant, objectId, OTHER_ID, unixTime } from '../description/vocabulary.ts';
import { MAX_PASSWORD } from './authenticate.dto.ts';

const TOKEN = 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl';
export const EXP = text(
  'Until when: a relative time such as `+1 hour`, `+30 minutes`, `+1 day 2 hours`, or an ISO date-time; at most a year',
  {
    maxLength: 100,
    examples: ['+2 days', '+1 week'],
  },
);

/** docs/spec/interface.md#authenticate; docs/spec/decisions.md#A1 and #A2. */
export const authenticateSchemas = {
  Credentials: record(
    'Who signs in',
    {
      email: text('The address of the account', { minLength: 1, maxLength: 254 }),
      password: text('Its password', { minLength: 1, maxLength: MAX_PASSWORD, writeOnly: true }),
    },
    { exp: { ...EXP, default: '+1 hour' } },
  ),
  LoginToken: record('A login token', { token: text('A JWT, for `Authorization: Bearer`'), expiresAt: instant('When it ends') }),
  TokenOwner: record('Whose a token is', {
    id: integer('The user'),
    name: text('Name of the user'),
    email: text('Address of the user'),
    exp: unixTime('When the token ends'),
    tid: objectId('The token'),
    iat: unixTime('When it was issued'),
    nbf: unixTime('From when it is good'),
  }),
};

const owner = {
  id: 1,
  name: 'Ada',
  email: 'ada@example.com',
  exp: 1_679_579_600,
  tid: OTHER_ID,
  iat: 1_679_576_000,
  nbf: 1_679_576_000,
};

export const authenticateOperations: Operations = {
  'POST /authenticate': {
    id: 'signIn',
    tag: 'Authentication',
    summary: 'Sign in',
    description: 'Answers the bare token; a client whose `Accept` admits JSON but not text gets an object.',
    body: { schema: ref('Credentials'), example: { email: 'ada@example.com', password: 'correct horse battery staple', exp: '+2 days' } },
    answer: {
      ...asText('text/plain', 'The token, a JWT', TOKEN),
      ...json(ref('LoginToken'), { token: TOKEN, expiresAt: '2023-03-25T12:53:20+00:00' }),
    },
    refusals: { 401: why('The e-mail or the password is wrong') },
  },
  'GET /authenticate': {
    id: 'verifyToken',
    tag: 'Authentication',
    summary: 'Whose the token is',
    answer: json(ref('TokenOwner'), owner),
  },
};
