import type { AuthenticationResponseJSON } from '../second-factors/passkeys.ts';
import { AuthenticateDto, expiry, MAX_PASSWORD, ownCode, ownPasskey, PasskeySignInDto } from '../sign-in/authenticate.dto.ts';
import { ExchangeCodeDto } from '../sign-in/provider/provider.dto.ts';
import { SESSION_EXPIRY } from '../sign-in/session/console-sessions.ts';
import { filledText, nullable, password } from '../../platform/http/validation/fields.ts';
import { Input, OptionalOrNull, Required } from '../../platform/http/validation/input.ts';

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
