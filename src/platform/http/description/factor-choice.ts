import { list, named, openRecord, orNull, record, word } from './schema.ts';

export const requestOptions = named(
  'PasskeyRequestOptions',
  openRecord('Options for `navigator.credentials.get`, for `PublicKeyCredential.parseRequestOptionsFromJSON`'),
);

/** What a client can go on with whose account has a second factor. */
export const factorChoice = named(
  'SecondFactorChoice',
  record('With which second factors the account can be confirmed', {
    kinds: list(word(['totp', 'passkey', 'recovery code'], 'totp and recovery code: as `code`; passkey: as `passkey`'), 'At least one', {
      examples: [['totp', 'recovery code']],
    }),
    passkey: orNull(requestOptions),
  }),
);
