import { MAX_TOKEN_ADDRESSES, MAX_TOKEN_PROJECTS, type TokenScope, tokenScopes } from './token-scopes.ts';
import { OBJECT_ID } from '../kernel/ids.ts';
import { readNetwork } from '../platform/security/networks.ts';
import { expiry, ownCode, ownPassword } from './sign-in/authenticate.dto.ts';
import { type Schema, text, word } from '../platform/http/description/schema.ts';
import { objectIdSchema } from '../platform/http/description/vocabulary.ts';
import { filledText, listOf, nullable, trimmed } from '../platform/http/validation/fields.ts';
import { Input, type InputField, OptionalOrNull, Required } from '../platform/http/validation/input.ts';

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
