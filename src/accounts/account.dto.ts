import { type ReportPeriod, reportPeriods, type SystemRole, systemRoles } from './account.settings.ts';
import { MAX_PASSWORD, ownCode, ownPassword } from './sign-in/authenticate.dto.ts';
import { constant } from '../platform/http/description/schema.ts';
import {
  emailAddress,
  filledText,
  matching,
  nullable,
  oneOf,
  oneOfWords,
  orEmpty,
  password,
  timeZone,
  trimmed,
  whole,
} from '../platform/http/validation/fields.ts';
import { Input, type InputField, Optional, OptionalOrNull, ReadOnly, Required, RequiredIf } from '../platform/http/validation/input.ts';

const newPassword = (description: string): InputField<string> => password(description, 8, MAX_PASSWORD);
const name = trimmed(filledText('Name', 200));
const email = trimmed(emailAddress('E-mail address'));
const linkToken = filledText('Token of the link in the mail', 200, { writeOnly: true });

@Input('Registration', 'A new account')
export class RegisterDto {
  @Required(email) email!: string;
  @Required(newPassword('At least 8 characters')) password!: string;
  @Required(name) name!: string;
}

const PHONE = /^[+\d][\d ()./-]*$|^$/;
const phone = matching('Telephone number', PHONE, 'must be a telephone number', { maxLength: 40 });

@Input('AccountChange', 'Only supplied fields change; an empty text removes an optional value')
export class UpdateAccountDto {
  @Optional(name) name?: string;
  @OptionalOrNull(nullable(trimmed({ ...phone, accepts: (value, input) => phone.accepts(value, input) && String(value).length <= 40 })))
  phone?: string | null;
  @Optional(timeZone('Name of a time zone')) timezone?: string;
  @OptionalOrNull(
    nullable(
      orEmpty(trimmed(emailAddress('Receives the messages instead of the address of the account', { examples: ['ops@example.com'] }))),
    ),
  )
  notificationEmail?: string | null;
  @Optional(whole('Minutes between the first failing run and a message', 0, 1440)) notificationDelay?: number;
  @Optional(oneOfWords('How often a report is sent', reportPeriods, constant(false))) reportPeriod?: ReportPeriod;
  @OptionalOrNull(ownPassword) password?: string | null;
  @OptionalOrNull(ownCode) code?: string | null;
  @ReadOnly() id?: unknown;
  @ReadOnly() email?: unknown;
  @ReadOnly() confirmed?: unknown;
  @ReadOnly() confirmTokenExpiration?: unknown;
  @ReadOnly() apiKey?: unknown;
  @ReadOnly() plan?: unknown;
  @ReadOnly() systemRole?: unknown;
  @ReadOnly() created?: unknown;
}

@Input('PasswordChange', 'The current and the new password')
export class ChangePasswordDto {
  @Required(password('The current password', 1, MAX_PASSWORD)) current!: string;
  @Required(newPassword('The new password')) new!: string;
  @OptionalOrNull(ownCode) code?: string | null;
}

/** Either the address for which a link is requested, or the token of a link with the new password. */
export class ResetPasswordDto {
  @RequiredIf(email, ({ token }: Partial<ResetPasswordDto>) => token === undefined) email?: string;
  @Optional(linkToken) token?: string;
  @RequiredIf(newPassword('The new password'), ({ token }: Partial<ResetPasswordDto>) => token !== undefined) password?: string;
}

@Input('UsedLink', 'The link that confirms an address')
export class ConfirmDto {
  @Required(linkToken) token!: string;
  @Required(newPassword('The one from the registration, or another')) password!: string;
}

@Input('UsedNotificationLink', 'The link that confirms a notification address')
export class ConfirmNotificationEmailDto {
  @Required(linkToken) token!: string;
}

@Input('Administration', 'What only an administrator sets')
export class AdministerDto {
  @Optional(filledText('Name of a plan', 100)) plan?: string;
  @OptionalOrNull(nullable(oneOf('Null removes the role', systemRoles))) systemRole?: SystemRole | null;
  @OptionalOrNull(ownPassword) password?: string | null;
}
