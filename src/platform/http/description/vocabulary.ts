import { type Contents, json, may } from './operation.ts';
import { always, integer, list, named, orNull, record, type Schema, text, openRecord, word } from './schema.ts';

export const ID = '64f0c2a91b7de35a04c8f612';
export const OTHER_ID = '64f0c2a91b7de35a04c8f6aa';
export const EXAMPLE_UUID = '0b5e3c52-6a3e-5b0c-9d1e-2f8a7c1d4e90';

export const objectIdSchema = (description: string, example = ID): Schema<string> =>
  text(description, { pattern: '^[0-9a-f]{24}$', examples: [example] });
export const uuidSchema = (description: string): Schema<string> => text(description, { format: 'uuid', examples: [EXAMPLE_UUID] });
/** With the offset of the request or of UTC. */
export const instant = (description: string, example = '2023-03-23T12:53:20+00:00'): Schema<string> =>
  text(description, { format: 'date-time', examples: [example] });
/** As the log records it: in UTC, with fractions of a second. */
export const moment = (description: string, example = '2023-03-23T12:53:20.000000Z'): Schema<string> =>
  text(description, { format: 'date-time', examples: [example] });
export const unixTime = (description: string, example = 1_679_576_000): Schema<number> =>
  integer(`${description}, in unix seconds`, { minimum: 0, examples: [example] });
export const nextCursor = orNull(text('Cursor of the next page; null on the last page'));

/** Absent from a list of which every item can be read. */
export const unreadableSchema = list(
  record('An item that cannot be read', { id: text('Its id'), message: text('The reason') }),
  'Items that belong to the list but cannot be read until an operator has repaired them; absent when there are none',
);

export const failures = list<string>({ type: 'string' }, 'Sentences that a person can act on: what was expected, what was found', {
  examples: [[]],
});

export const successSchema = named(
  'Success',
  record('The change was made', {
    code: always(200, 'Always 200'),
    ok: always(true, 'Always true'),
    error: always(false, 'Always false'),
  }),
);

/** The answer to a change that has no result of its own. */
export const done: Contents = json(successSchema);

export const atInstant = (description: string): Schema<string> =>
  text(`${description} (ISO 8601, with a time)`, { examples: ['2023-03-23T12:53:20+00:00'] });

export const fromTo = { from: may(atInstant('Start, included')), to: may(atInstant('End')) };

export const idPath = { id: objectIdSchema('The project') };
export const theme = may(text('Colours', { enum: ['light', 'dark'], default: 'light' }));

/** What `@NeedsRecentSignIn()` asks for. */
export const PROOF = 'a recent sign-in, or the password as `password` in the body, with the second factor of the account as `code`';

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
