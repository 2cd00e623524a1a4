import type { RegistrationResponseJSON } from '../../security/second-factors/passkeys.ts';
import { ownCode, ownPassword } from '../auth/authenticate.dto.ts';
import { newPasskey } from '../auth/passkey-fields.ts';
import { filledText, matching, trimmed } from '../validation/fields.ts';
import { Input, Optional, OptionalOrNull, Required } from '../validation/input.ts';

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
