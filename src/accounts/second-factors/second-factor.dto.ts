import type { RegistrationResponseJSON } from './passkeys.ts';
import { ownCode, ownPassword } from '../sign-in/authenticate.dto.ts';
import { newPasskey } from '../sign-in/passkey-fields.ts';
import { filledText, matching, trimmed } from '../../platform/http/validation/fields.ts';
import { Input, Optional, OptionalOrNull, Required } from '../../platform/http/validation/input.ts';

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
