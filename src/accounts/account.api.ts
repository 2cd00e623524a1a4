import { type ReportPeriod, reportPeriods, type SystemRole, systemRoles } from './account.settings.ts';
import { MAX_PASSWORD, ownCode, ownPassword, confirmation } from './sign-in/authenticate.api.ts';
import { constant, anything, list, named, record, text } from '../platform/http/description/schema.ts';
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
import {
  Input,
  type InputField,
  Optional,
  OptionalOrNull,
  ReadOnly,
  Required,
  RequiredIf,
  fieldSchemas,
} from '../platform/http/validation/input.ts';
import { asText, json, may, type Operations, patches, takes, why } from '../platform/http/description/operation.ts';
import { done, nextCursor, PROOF, unreadableSchema } from '../platform/http/description/vocabulary.ts';
import { accountSchema } from './person.api.ts';
import { pagedList } from '../platform/http/lists/list.ts';

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

const reset = fieldSchemas(ResetPasswordDto);
const passwordReset = named('PasswordReset', {
  description: 'First the address of the account, to request a link; then the token of the link with the new password',
  anyOf: [
    record('Request a link', { email: reset['email'] ?? {} }),
    record('Use the link', { token: reset['token'] ?? {}, password: reset['password'] ?? {} }, { email: anything('Ignored') }),
  ],
});

const accountPage = named(
  'AccountPage',
  record('A page of accounts', { accounts: list(accountSchema, 'By user id'), nextCursor }, { unreadable: unreadableSchema }),
);

const FORCED = why('Addresses of this domain sign in through the provider');

export const accountOperations: Operations = {
  'GET /account': { id: 'getAccount', tag: 'Account', summary: 'Read your own account', answer: json(accountSchema) },
  'PUT /account': {
    id: 'updateAccount',
    tag: 'Account',
    summary: 'Change your own account',
    description: `Another \`notificationEmail\` needs ${PROOF}.`,
    body: takes(UpdateAccountDto, { timezone: 'Europe/Prague', notificationDelay: 5, phone: '' }),
    answer: json(accountSchema),
    refusals: { 403: why(`Another \`notificationEmail\` needs ${PROOF}`) },
  },
  'PATCH /account': {
    id: 'patchAccount',
    tag: 'Account',
    summary: 'Change your own account by a merge patch',
    description: `Another \`notificationEmail\` needs ${PROOF}.`,
    body: patches(UpdateAccountDto, 'AccountPatch', { timezone: 'Europe/Prague', phone: null }),
    answer: json(accountSchema),
    refusals: { 403: why(`Another \`notificationEmail\` needs ${PROOF}`) },
  },
  'DELETE /account': {
    id: 'deleteAccount',
    tag: 'Account',
    summary: 'Erase your own account',
    description: 'Deletes the projects that it owns, too. Its personal data can never be read again.',
    body: confirmation,
    answer: done,
  },
  'POST /account/password': {
    id: 'changePassword',
    tag: 'Account',
    summary: 'Change the password',
    description: 'Revokes every token of the account, including the one of this request.',
    body: takes(ChangePasswordDto, { current: 'correct horse', new: 'correct horse battery staple' }),
    answer: done,
    refusals: { 403: why('`current` is not the current password, or addresses of this domain sign in through the provider') },
  },
  'POST /account/register': {
    id: 'register',
    tag: 'Account',
    summary: 'Create an account',
    description:
      'Where registration is open. A link to confirm the address is sent by mail. The answer is the same for an address that has an account already; its owner is told by mail.',
    body: takes(RegisterDto, { email: 'ada@example.com', password: 'correct horse', name: 'Ada' }),
    answer: done,
    refusals: { 403: why('Registration is closed, or addresses of this domain sign in through the provider') },
  },
  'POST /account/confirm': {
    id: 'confirmAddress',
    tag: 'Account',
    summary: 'Confirm an address, and set the password',
    description:
      'Ends every token of the account; a password, tokens and channels of a person who registered a foreign address end with it.',
    body: takes(ConfirmDto, { token: 'from-the-mail', password: 'correct horse' }),
    answer: done,
    refusals: { 403: FORCED, 404: why('The account no longer exists') },
  },
  'POST /account/notification-email/confirm': {
    id: 'confirmNotificationEmail',
    tag: 'Account',
    summary: 'Confirm a notification address',
    body: takes(ConfirmNotificationEmailDto, { token: 'from-the-mail' }),
    answer: done,
    refusals: { 404: why('The account no longer exists') },
  },
  'GET /account/notification-email/confirm': {
    id: 'showNotificationEmailConfirmation',
    tag: 'Account',
    summary: 'Page of the link that confirms a notification address',
    answer: asText('text/html', 'A page with a button; opening the page does not use the link up'),
  },
  'GET /account/confirm': {
    id: 'showConfirmation',
    tag: 'Account',
    summary: 'Page of the link that confirms an address',
    answer: asText('text/html', 'A page with a button; opening the page does not use the link up'),
  },
  'POST /account/password/reset': {
    id: 'resetPassword',
    tag: 'Account',
    summary: 'Request a link to set a password, or use it',
    description: 'The answer is the same for known and unknown addresses.',
    body: { schema: passwordReset, example: { email: 'ada@example.com' }, input: ResetPasswordDto },
    answer: done,
    refusals: { 403: FORCED, 404: why('The account no longer exists') },
  },
  'GET /account/password/reset': {
    id: 'showPasswordReset',
    tag: 'Account',
    summary: 'Page of the link that sets a password',
    answer: asText('text/html', 'A page with a form'),
  },
  'GET /accounts': {
    id: 'listAccounts',
    tag: 'Accounts',
    summary: 'List all accounts',
    query: { search: may(text('A user id or a whole address', { maxLength: 200 })) },
    list: pagedList(accountSchema, {
      name: 'accounts',
      member: 'accounts',
      sorts: ['id'],
      search: ['id', 'email'],
      defaultLimit: 100,
      otherParameters: [],
    }),
    answer: json(accountPage),
  },
  'PUT /accounts/:userId': {
    id: 'administerAccount',
    tag: 'Accounts',
    summary: 'Set the plan and the system role of an account',
    path: { userId: text('The user', { pattern: '^[1-9]\\d{0,9}$', examples: ['7'] }) },
    body: takes(AdministerDto, { plan: 'unlimited', systemRole: 'auditor' }),
    answer: json(accountSchema),
    refusals: { 404: why('The account does not exist') },
  },
};
