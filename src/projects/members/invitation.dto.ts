import { MAX_PASSWORD } from '../../accounts/sign-in/authenticate.dto.ts';
import { filledText, password } from '../../platform/http/validation/fields.ts';
import { Input, Optional, Required } from '../../platform/http/validation/input.ts';

@Input('AcceptedLink', 'The link of an invitation, or of an offered transfer')
export class AcceptByLinkDto {
  @Required(filledText('Token of the link in the mail', 200, { writeOnly: true })) token!: string;
  @Optional(password('For an address without an account, or with one that is not confirmed: the password to sign in with', 8, MAX_PASSWORD))
  password?: string;
}
