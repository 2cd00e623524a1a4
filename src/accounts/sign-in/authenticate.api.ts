import { text, integer, named, orNull, record } from '../../platform/http/description/schema.ts';
import { filledText, nullable, password } from '../../platform/http/validation/fields.ts';
import type { AuthenticationResponseJSON } from '../second-factors/passkeys.ts';
import { passkeyAnswer } from './passkey-fields.ts';
import { Input, type InputField, OptionalOrNull, Required } from '../../platform/http/validation/input.ts';
import { asText, type Body, json, type Operations, takes, why } from '../../platform/http/description/operation.ts';
import { done, instant, objectIdSchema, unixTime, factorChoice, requestOptions } from '../../platform/http/description/vocabulary.ts';

/** The longest password that is hashed: a longer one would only cost time. */
export const MAX_PASSWORD = 1024;

/** Read by `readExpiry`. */
export const expiry = (usual: string): InputField<string> => ({
  schema: text('Expiry: a relative time such as `+1 hour`, `+30 minutes`, `+1 day 2 hours`, or an ISO date-time; at most a year ahead', {
    maxLength: 100,
    examples: ['+2 days', '+1 week'],
    default: usual,
  }),
  accepts: (value) => typeof value === 'string' && value.length <= 100,
  must: 'must be text of at most 100 characters',
});

/** Read by `RecentSignIn`, before the body is validated. */
export const ownPassword = nullable(password('The current password, unless the sign-in is recent', 1, MAX_PASSWORD));

/** A one-time code, or a recovery code with its hyphens. */
export const MAX_CODE = 40;

/** Read by `RecentSignIn`, before the body is validated. */
export const ownCode = nullable(password('A one-time code or a recovery code, of an account with a second factor', 1, MAX_CODE));
export const ownPasskey = nullable(passkeyAnswer);

@Input('Confirmation', 'The password, unless the sign-in is recent', { open: true })
export class ConfirmationDto {
  @OptionalOrNull(ownPassword) password?: string | null;
  @OptionalOrNull(ownCode) code?: string | null;
}

@Input('Credentials', 'The credentials of an account')
export class AuthenticateDto {
  @Required(filledText('E-mail address of the account', 254)) email!: string;
  @Required(password('Password of the account', 1, MAX_PASSWORD)) password!: string;
  @OptionalOrNull(expiry('+1 hour')) exp?: string | null;
  @OptionalOrNull(ownCode) code?: string | null;
  @OptionalOrNull(ownPasskey) passkey?: AuthenticationResponseJSON | null;
}

@Input('PasskeySignIn', 'A passkey in place of e-mail address and password')
export class PasskeySignInDto {
  @Required(passkeyAnswer) passkey!: AuthenticationResponseJSON;
  @OptionalOrNull(expiry('+1 hour')) exp?: string | null;
}

@Input('StepUp', 'The password with the second factor that the account has, or a passkey that verifies its user')
export class ConfirmSessionDto {
  @OptionalOrNull(ownPassword) password?: string | null;
  @OptionalOrNull(ownCode) code?: string | null;
  @OptionalOrNull(ownPasskey) passkey?: AuthenticationResponseJSON | null;
}

export const TOKEN = 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl';

/** docs/spec/interface.md#authenticate; docs/spec/decisions.md#A1, #A2. */
export const loginToken = named(
  'LoginToken',
  record('A login token', {
    token: text('A JWT, for `Authorization: Bearer`', { examples: [TOKEN] }),
    expiresAt: instant('Expiry', '2023-03-25T12:53:20+00:00'),
  }),
);

const tokenOwner = named(
  'TokenOwner',
  record(
    'The owner of a token',
    {
      id: integer('Id of the user; negative: the number of a service account', { examples: [1] }),
      name: text('Name of the user', { examples: ['Ada'] }),
      email: text('Address of the user; empty for a service account', { examples: ['ada@example.com'] }),
      exp: unixTime('Expiry of the token', 1_679_579_600),
      tid: objectIdSchema('The token'),
      iat: unixTime('Time at which it was issued'),
      nbf: unixTime('Time from which it is valid'),
    },
    {
      serviceAccount: record('Present for a service account alone', {
        id: objectIdSchema('The service account'),
        projectId: orNull(objectIdSchema('Its project; null: it belongs to the installation')),
      }),
    },
  ),
);

const requestExample = { challenge: 'Y2hhbGxlbmdl', rpId: 'watchledger.example.com', timeout: 300_000, userVerification: 'required' };

/** What `navigator.credentials.get` answers. */
const answerExample = {
  id: 'Y3JlZGVudGlhbA',
  rawId: 'Y3JlZGVudGlhbA',
  type: 'public-key',
  response: { clientDataJSON: 'e30', authenticatorData: 'AAAA', signature: 'AAAA', userHandle: 'AAAA' },
  clientExtensionResults: {},
};

/** The body of a deletion that needs a recent sign-in. */
export const confirmation: Body = { ...takes(ConfirmationDto, { password: 'correct horse battery staple' }), optional: true };

export const authenticateOperations: Operations = {
  'POST /authenticate': {
    id: 'signIn',
    tag: 'Authentication',
    summary: 'Sign in',
    description:
      'Answers the bare token, or an object to a client whose `Accept` admits JSON but not text. For an account with a second factor the same request is sent again with its `code` or with a `passkey`.',
    body: takes(AuthenticateDto, { email: 'ada@example.com', password: 'correct horse battery staple', exp: '+2 days' }),
    answer: {
      ...asText('text/plain', 'The token, a JWT', TOKEN),
      ...json(loginToken),
    },
    refusals: {
      401: {
        why: 'The e-mail address, the password or the second factor is wrong, or the second factor is missing',
        schema: 'SecondFactorNeeded',
      },
      403: why('Addresses of this domain sign in through the provider'),
    },
  },
  'POST /authenticate/passkey/options': {
    id: 'passkeySignInOptions',
    tag: 'Authentication',
    summary: 'Begin to sign in by a passkey',
    description: 'The challenge can be answered once, within 5 minutes.',
    answer: json(requestOptions, requestExample),
    refusals: { 409: why('`PUBLIC_URL` has no host name') },
  },
  'POST /authenticate/passkey': {
    id: 'signInByPasskey',
    tag: 'Authentication',
    summary: 'Sign in by a passkey',
    description: 'Without e-mail address and password. The authenticator must have verified its user by a PIN or a biometric.',
    body: takes(PasskeySignInDto, { passkey: answerExample, exp: '+2 days' }),
    answer: {
      ...asText('text/plain', 'The token, a JWT', TOKEN),
      ...json(loginToken),
    },
    refusals: { 401: why('The passkey was refused'), 403: why('Addresses of this domain sign in through the provider') },
  },
  'POST /authenticate/confirm/options': {
    id: 'confirmSessionOptions',
    tag: 'Authentication',
    summary: 'Read what the session can be confirmed with',
    answer: json(factorChoice, { passkey: null }),
  },
  'POST /authenticate/confirm': {
    id: 'confirmSession',
    tag: 'Authentication',
    summary: 'Confirm who you are',
    description:
      'The session of this token counts as signed in just now. Takes the password, with the second factor of an account that has one; or a passkey alone with which the authenticator verified its user.',
    body: takes(ConfirmSessionDto, { password: 'correct horse battery staple', code: '123456' }),
    answer: done,
    refusals: { 403: why('The password or the second factor is wrong or missing, or the token is a personal one') },
  },
  'GET /authenticate': {
    id: 'verifyToken',
    tag: 'Authentication',
    summary: 'Read the owner of the token',
    answer: json(tokenOwner),
  },
  'DELETE /authenticate': {
    id: 'signOut',
    tag: 'Authentication',
    summary: 'Sign out',
    description: 'Ends the token of this request, of either kind, within a second on every instance.',
    answer: done,
  },
};
