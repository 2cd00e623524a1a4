import { text } from '../../platform/http/description/schema.ts';
import { filledText, nullable, password } from '../../platform/http/validation/fields.ts';
import type { AuthenticationResponseJSON } from '../second-factors/passkeys.ts';
import { passkeyAnswer } from './passkey-fields.ts';
import { Input, type InputField, OptionalOrNull, Required } from '../../platform/http/validation/input.ts';

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
