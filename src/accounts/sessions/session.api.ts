import type { AuthenticationResponseJSON } from '../second-factors/passkeys.ts';
import { AuthenticateDto, expiry, MAX_PASSWORD, ownCode, ownPasskey, PasskeySignInDto } from '../sign-in/authenticate.api.ts';
import { ExchangeCodeDto } from '../sign-in/provider/provider.api.ts';
import { SESSION_EXPIRY } from '../sign-in/session/console-sessions.ts';
import { filledText, nullable, password } from '../../platform/http/validation/fields.ts';
import { Input, OptionalOrNull, Required } from '../../platform/http/validation/input.ts';
import { accountSchema } from '../person.api.ts';
import { json, must, type Operation, type Operations, takes, why } from '../../platform/http/description/operation.ts';
import { flag, named, orNull, record, type ValueOf, word } from '../../platform/http/description/schema.ts';
import { done, instant } from '../../platform/http/description/vocabulary.ts';

@Input('SessionCredentials', 'The credentials of an account')
export class OpenSessionDto extends AuthenticateDto {
  @OptionalOrNull(expiry(SESSION_EXPIRY)) override exp?: string | null = null;
}

@Input('SessionPasskey', 'A passkey in place of e-mail address and password')
export class OpenSessionByPasskeyDto extends PasskeySignInDto {
  @OptionalOrNull(expiry(SESSION_EXPIRY)) override exp?: string | null = null;
}

@Input('SessionCode', 'The code with which a sign-in through the provider ended')
export class OpenSessionByProviderDto extends ExchangeCodeDto {
  @OptionalOrNull(nullable(expiry(SESSION_EXPIRY))) override exp?: string | null = null;
}

@Input('SessionLink', 'A one-time link, with the second factor that the account has')
export class OpenSessionByLinkDto {
  @Required(filledText('The part of the link after `#link=`', 100)) link!: string;
  @OptionalOrNull(ownCode) code?: string | null;
  @OptionalOrNull(ownPasskey) passkey?: AuthenticationResponseJSON | null;
}

@Input('ChosenPassword', 'The password of an account that was opened by a one-time link')
export class ChoosePasswordDto {
  @Required(password('The new password', 8, MAX_PASSWORD)) password!: string;
}

const session = named(
  'Session',
  record('Who is signed in, and what the console shows them', {
    account: accountSchema,
    created: instant('Time of the sign-in'),
    expiresAt: instant('End of the session', '2023-03-30T12:53:20+00:00'),
    confirmedUntil: orNull(instant('Until then the sign-in counts as recent; null: it does not', '2023-03-23T13:03:20+00:00')),
    passwordNeeded: flag('The session was opened by a one-time link, and its account has chosen neither a password nor a passkey since', {
      examples: [false],
    }),
    factorNeeded: flag('The account must have a second factor and has none: until then it can do nothing but add one', {
      examples: [false],
    }),
    rights: record('In the whole installation; those in a project follow from the role in it', {
      create: flag('May create projects'),
      readAll: flag('Reads every project', { examples: [false] }),
      administer: flag('Administers the installation', { examples: [false] }),
    }),
  }),
);
export type SessionAnswer = ValueOf<typeof session>;

const COOKIE = 'Sets the session cookie, which no script can read, and answers no token.';

/** Every way to open a session. */
const opening: Pick<Operation, 'tag' | 'headers' | 'answer'> = {
  tag: 'Authentication',
  headers: { 'Watchledger-Console': must(word(['1'], 'That the request comes from a page of the console')) },
  answer: json(session),
};

/** docs/spec/beyond.md#b13-console. */
export const sessionOperations: Operations = {
  'POST /session': {
    id: 'openSession',
    summary: 'Sign in to the console',
    description: `As \`POST /authenticate\`. ${COOKIE}`,
    body: takes(OpenSessionDto, { email: 'ada@example.com', password: 'correct horse battery staple' }),
    ...opening,
    refusals: {
      401: {
        why: 'The e-mail address, the password or the second factor is wrong, or the second factor is missing',
        schema: 'SecondFactorNeeded',
      },
      403: why('Not a page of the console, or addresses of this domain sign in through the provider'),
    },
  },
  'POST /session/passkey': {
    id: 'openSessionByPasskey',
    summary: 'Sign in to the console by a passkey',
    description: `As \`POST /authenticate/passkey\`, with the options of \`POST /authenticate/passkey/options\`. ${COOKIE}`,
    body: takes(OpenSessionByPasskeyDto, {
      passkey: {
        id: 'Y3JlZGVudGlhbA',
        rawId: 'Y3JlZGVudGlhbA',
        type: 'public-key',
        response: { clientDataJSON: 'e30', authenticatorData: 'AAAA', signature: 'AAAA', userHandle: 'AAAA' },
        clientExtensionResults: {},
      },
    }),
    ...opening,
    refusals: {
      401: why('The passkey was refused'),
      403: why('Not a page of the console, or addresses of this domain sign in through the provider'),
    },
  },
  'POST /session/provider': {
    id: 'openSessionByProvider',
    summary: 'Sign in to the console through the provider',
    description: `As \`POST /authenticate/provider/token\`. ${COOKIE}`,
    body: takes(OpenSessionByProviderDto, { code: 'Zm9ydHktdHdv' }),
    ...opening,
    refusals: {
      403: why('Not a page of the console, or the code is not valid'),
      404: why('The installation has no sign-in provider'),
    },
  },
  'POST /session/link': {
    id: 'openSessionByLink',
    summary: 'Sign in to the console by a one-time link',
    description: `That the first start, or \`watchledger accounts link\`, prints. The session lasts a day. ${COOKIE}`,
    body: takes(OpenSessionByLinkDto, { link: 'c2lnbi1pbi1saW5r' }),
    ...opening,
    refusals: {
      401: { why: 'The second factor is wrong or missing', schema: 'SecondFactorNeeded' },
      403: why('Not a page of the console, or addresses of this domain sign in through the provider'),
    },
  },
  'POST /session/password': {
    id: 'choosePassword',
    tag: 'Authentication',
    summary: 'Choose a password after a sign-in by a one-time link',
    description: 'Ends every other session and token of the account, and answers a new session cookie.',
    body: takes(ChoosePasswordDto, { password: 'correct horse battery staple' }),
    answer: json(session),
    refusals: { 403: why('The session was not opened by a one-time link, or addresses of this domain sign in through the provider') },
  },
  'GET /session': {
    id: 'getSession',
    tag: 'Authentication',
    summary: 'Read who is signed in',
    description: 'Of the session cookie, or of a token.',
    answer: json(session),
  },
  'DELETE /session': {
    id: 'endSession',
    tag: 'Authentication',
    summary: 'Sign out of the console',
    description: 'Ends the session of the cookie, or the token of the request, within a second on every instance, and removes the cookie.',
    answer: done,
  },
};
