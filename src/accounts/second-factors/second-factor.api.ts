import type { RegistrationResponseJSON } from './passkeys.ts';
import { ownCode, ownPassword, confirmation } from '../sign-in/authenticate.api.ts';
import { newPasskey } from '../sign-in/passkey-fields.ts';
import { filledText, matching, trimmed } from '../../platform/http/validation/fields.ts';
import { Input, Optional, OptionalOrNull, Required } from '../../platform/http/validation/input.ts';
import { json, type Operations, takes, why } from '../../platform/http/description/operation.ts';
import {
  flag,
  integer,
  list,
  named,
  openRecord,
  orNull,
  record,
  text,
  type ValueOf,
  word,
} from '../../platform/http/description/schema.ts';
import { done, instant, objectIdSchema, nextCursor } from '../../platform/http/description/vocabulary.ts';
import { shortList } from '../../platform/http/lists/list.ts';

const name = trimmed(filledText('A name by which you know it', 100, { examples: ['phone'] }));

@Input('TotpConfirmation', 'The code that the app shows')
export class ConfirmTotpDto {
  @Required(trimmed(matching('Six digits', /^\s*\d{6}\s*$/, 'must be six digits'))) code!: string;
  @Optional(name) name?: string;
}

@Input('NewPasskey', 'A passkey that was just created')
export class AddPasskeyDto {
  @Required(newPasskey) passkey!: RegistrationResponseJSON;
  @Optional(name) name?: string;
  @OptionalOrNull(ownPassword) password?: string | null;
  @OptionalOrNull(ownCode) code?: string | null;
}

@Input('SecondFactorName', 'Another name')
export class RenameFactorDto {
  @Required(name) name!: string;
}

const factor = named(
  'SecondFactor',
  record('A second factor', {
    id: objectIdSchema('The factor'),
    kind: word(['totp', 'passkey'], 'totp: an authenticator app; passkey: a WebAuthn credential'),
    name: text('The name that its owner gave it', { examples: ['phone'] }),
    created: instant('Time from which it is asked for'),
    lastUsed: orNull(instant('Time of the last use; null: never used')),
  }),
);

const factors = named(
  'SecondFactors',
  record(
    'The second factors of the account',
    {
      factors: list(factor, 'The oldest first'),
      recoveryCodes: orNull(
        record('Null without a factor', { created: instant('Time of their creation'), left: integer('Unused codes', { examples: [10] }) }),
      ),
      required: flag('The account must have one, by its plan or its system role', { examples: [false] }),
    },
    { nextCursor },
  ),
);
export type FactorsAnswer = ValueOf<typeof factors>;

const codes = list(text('For one use, instead of a one-time code'), 'Shown only once', {
  examples: [['abcd-efgh-2345', 'ijkl-mnop-6723']],
});
const begun = named(
  'TotpEnrolment',
  record('Shown only once; not in force before it is confirmed, within 15 minutes', {
    id: objectIdSchema('The factor'),
    secret: text('For typing it into an authenticator app, in base32', { examples: ['GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'] }),
    uri: text('For the QR code that an authenticator app scans', { examples: ['otpauth://totp/Watchledger:ada%40example.com?secret=…'] }),
  }),
);
const confirmed = named(
  'ConfirmedFactor',
  record('A factor that is in force', {
    id: objectIdSchema('The factor'),
    recoveryCodes: orNull({ ...codes, description: 'With the first factor of the account, and shown only once; else null' }),
  }),
);
const creationOptions = named(
  'PasskeyCreationOptions',
  openRecord('Options for `navigator.credentials.create`, for `PublicKeyCredential.parseCreationOptionsFromJSON`'),
);

const id = { id: objectIdSchema('The factor') };
const unknown = why('The account has no such factor, or its enrolment has run out');
const passkey = {
  id: 'Y3JlZGVudGlhbA',
  rawId: 'Y3JlZGVudGlhbA',
  type: 'public-key',
  response: { clientDataJSON: 'e30', attestationObject: 'AAAA', transports: ['internal'] },
  clientExtensionResults: {},
};

/** docs/spec/decisions.md#A16. */
export const secondFactorOperations: Operations = {
  'GET /account/second-factors': {
    id: 'listSecondFactors',
    tag: 'Account',
    summary: 'List your second factors',
    list: shortList(factor, {
      name: 'second-factors',
      member: 'factors',
      key: 'id',
      sorts: ['created', 'name', 'lastUsed'],
      search: ['name'],
    }),
    answer: json(factors),
  },
  'POST /account/second-factors/totp': {
    id: 'enrolTotp',
    tag: 'Account',
    summary: 'Begin to add an authenticator app',
    description: 'An app that was begun before and not confirmed is replaced.',
    body: confirmation,
    answer: json(begun),
    refusals: { 409: why('The account has 20 factors') },
  },
  'POST /account/second-factors/totp/:id/confirm': {
    id: 'confirmTotp',
    tag: 'Account',
    summary: 'Put an authenticator app in force',
    description: 'From now on signing in asks for a code. Other sessions have to confirm who they are again.',
    path: id,
    body: takes(ConfirmTotpDto, { code: '123456', name: 'phone' }),
    answer: json(confirmed),
    refusals: { 400: why('`code` is not the current code'), 404: unknown },
  },
  'POST /account/second-factors/passkeys/options': {
    id: 'passkeyOptions',
    tag: 'Account',
    summary: 'Begin to add a passkey',
    description: 'The challenge can be answered once, within 5 minutes.',
    body: confirmation,
    answer: json(creationOptions, { challenge: 'Y2hhbGxlbmdl', rp: { id: 'watchledger.example.com', name: 'Watchledger' } }),
    refusals: { 409: why('`PUBLIC_URL` has no host name') },
  },
  'POST /account/second-factors/passkeys': {
    id: 'addPasskey',
    tag: 'Account',
    summary: 'Add a passkey',
    description: 'In force at once: it is a second factor, and signs in by itself where the authenticator verifies its user.',
    body: takes(AddPasskeyDto, { passkey, name: 'laptop' }),
    answer: json(confirmed, { recoveryCodes: null }),
    refusals: { 400: why('The passkey does not answer a challenge of this account, or is known'), 409: why('The account has 20 factors') },
  },
  'PUT /account/second-factors/:id': {
    id: 'renameSecondFactor',
    tag: 'Account',
    summary: 'Rename a second factor',
    path: id,
    body: takes(RenameFactorDto, { name: 'old phone' }),
    answer: done,
    refusals: { 404: unknown },
  },
  'DELETE /account/second-factors/:id': {
    id: 'removeSecondFactor',
    tag: 'Account',
    summary: 'Remove a second factor',
    description: 'With the last one the recovery codes end, too.',
    path: id,
    body: confirmation,
    answer: done,
    refusals: { 404: unknown },
  },
  'POST /account/second-factors/recovery-codes': {
    id: 'generateRecoveryCodes',
    tag: 'Account',
    summary: 'Generate new recovery codes',
    description: 'Ten, shown only once; earlier ones are void.',
    body: confirmation,
    answer: json(named('RecoveryCodes', record('New codes', { recoveryCodes: codes }))),
    refusals: { 409: why('The account has no second factor') },
  },
};
