import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '../second-factors/passkeys.ts';
import { type Fields, openRecord, record, type Schema, text } from '../../platform/http/description/schema.ts';
import { isObject } from '../../kernel/is-object.ts';
import { type InputField } from '../../platform/http/validation/input.ts';

/** Members of `response`, with the most characters of each in base64url. */
type Members = Readonly<Record<string, number>>;

const LONGEST_ID = 1_364;
const isEncoded = (value: unknown, most: number): value is string =>
  typeof value === 'string' && value.length <= most && /^[\w-]*$/.test(value);

/** What `PublicKeyCredential.toJSON()` gives in a browser; members without meaning here are ignored. */
function credential<Value>(description: string, required: Members, optional: Members): InputField<Value> {
  const schemas = (members: Members): Fields =>
    Object.fromEntries(Object.entries(members).map(([name, maxLength]) => [name, text('In base64url', { maxLength })]));
  const { properties = {}, required: names = [] } = record('', schemas(required), schemas(optional));
  const response: Schema = { ...openRecord('Of the authenticator'), properties, required: names };
  const id = text('Of the credential, in base64url', { maxLength: LONGEST_ID });
  return {
    schema: openRecord(description, { id, rawId: id, type: text('`public-key`'), response }),
    accepts: (value) => {
      if (!isObject(value) || !isEncoded(value['id'], LONGEST_ID) || !isEncoded(value['rawId'], LONGEST_ID)) return false;
      const given = value['response'];
      if (typeof value['type'] !== 'string' || !isObject(given)) return false;
      const areThere = Object.entries(required).every(([name, most]) => isEncoded(given[name], most));
      return areThere && Object.entries(optional).every(([name, most]) => given[name] === undefined || isEncoded(given[name], most));
    },
    must: 'must be what navigator.credentials answered, as JSON',
  };
}

export const passkeyAnswer = credential<AuthenticationResponseJSON>(
  'The answer of `navigator.credentials.get`',
  { clientDataJSON: 4_096, authenticatorData: 4_096, signature: 4_096 },
  { userHandle: 100 },
);

export const newPasskey = credential<RegistrationResponseJSON>(
  'The answer of `navigator.credentials.create`',
  { clientDataJSON: 4_096, attestationObject: 12_000 },
  {},
);
