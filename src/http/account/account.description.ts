import { reportPeriods, systemRoles } from '../../domain/account/settings.ts';
import { MAX_PASSWORD } from '../auth/authenticate.dto.ts';
import { asText, json, may, type Operations, why } from '../description/operation.ts';
import { anything, eitherOf, integer, list, orNull, record, ref, type Schema, text, word } from '../description/schema.ts';
import { nextCursor, pageOf, readOnly, success, unreadableSchema } from '../description/vocabulary.ts';
import { account } from './person.description.ts';

const email: Schema = text('An e-mail address', { format: 'email', maxLength: 254, examples: ['ada@example.com'] });
const password = (description: string): Schema => text(description, { minLength: 8, maxLength: MAX_PASSWORD, writeOnly: true });
const name: Schema = text('Name', { minLength: 1, maxLength: 200 });
const linkToken: Schema = text('Out of the link in the mail', { minLength: 1, maxLength: 200, writeOnly: true });
const done = json(ref('Success'), success);

export const ownAccountSchemas = {
  Registration: record('A new account', { email, password: password('At least 8 characters'), name }),
  AccountChange: record(
    'Only what is supplied changes; an empty text takes an optional value away',
    {},
    {
      name,
      phone: orNull(text('Telephone number', { maxLength: 40, pattern: '^[+\\d][\\d ()./-]*$|^$' })),
      timezone: text('Name of a time zone', { maxLength: 64, examples: ['Europe/Prague'] }),
      notificationEmail: orNull(text('Where messages go instead', { maxLength: 254, examples: ['ops@example.com'] })),
      notificationDelay: integer('Minutes', { minimum: 0, maximum: 1440 }),
      reportPeriod: eitherOf('How often a report is sent', word(reportPeriods, 'As a word'), { const: false }),
      ...Object.fromEntries(
        ['id', 'email', 'confirmed', 'confirmTokenExpiration', 'apiKey', 'plan', 'systemRole', 'created'].map((field) => [
          field,
          readOnly(),
        ]),
      ),
    },
  ),
  PasswordChange: record('The old and the new', {
    current: text('The password of today', { minLength: 1, maxLength: MAX_PASSWORD, writeOnly: true }),
    new: password('The new one'),
  }),
  PasswordReset: {
    description: 'The address that a link is wanted for; then the token of the link with the new password',
    anyOf: [
      record('First', { email }),
      record('Then', { token: linkToken, password: password('The new one') }, { email: anything('Not looked at') }),
    ],
  },
  Confirmation: record('The link that confirms an address', { token: linkToken }),
  AccountPage: record('A page of accounts', { accounts: list(ref('Account'), 'By user id'), nextCursor }, { unreadable: unreadableSchema }),
  Administration: record(
    'What only an administrator sets',
    {},
    {
      plan: text('Name of a plan', { minLength: 1, maxLength: 100 }),
      systemRole: orNull(word(systemRoles, 'Null takes it away')),
    },
  ),
} satisfies Readonly<Record<string, Schema>>;

export const accountOperations: Operations = {
  'GET /account': { id: 'getAccount', tag: 'Account', summary: 'Own account', answer: json(ref('Account'), account) },
  'PUT /account': {
    id: 'updateAccount',
    tag: 'Account',
    summary: 'Change own account',
    body: { schema: ref('AccountChange'), example: { timezone: 'Europe/Prague', notificationDelay: 5, phone: '' } },
    answer: json(ref('Account'), account),
  },
  'DELETE /account': {
    id: 'deleteAccount',
    tag: 'Account',
    summary: 'Erase own account',
    description: 'With the projects that it owns. Nothing personal can be read again, by anybody.',
    answer: done,
  },
  'POST /account/password': {
    id: 'changePassword',
    tag: 'Account',
    summary: 'Change the password',
    description: 'Ends every token of the account, the one that asks included.',
    body: { schema: ref('PasswordChange'), example: { current: 'correct horse', new: 'correct horse battery staple' } },
    answer: done,
    refusals: { 403: why('`current` is not the current password') },
  },
  'POST /account/register': {
    id: 'register',
    tag: 'Account',
    summary: 'Make an account',
    description: 'Where registration is open; a link to confirm the address is mailed.',
    body: { schema: ref('Registration'), example: { email: 'ada@example.com', password: 'correct horse', name: 'Ada' } },
    answer: json({ anyOf: [ref('Account'), ref('Success')] }, account),
    refusals: { 403: why('Registration is closed'), 409: why('The address has an account already') },
  },
  'POST /account/confirm': {
    id: 'confirmAddress',
    tag: 'Account',
    summary: 'Confirm an address',
    body: { schema: ref('Confirmation'), example: { token: 'from-the-mail' } },
    answer: done,
    refusals: { 404: why('The account is gone') },
  },
  'GET /account/confirm': {
    id: 'showConfirmation',
    tag: 'Account',
    summary: 'Page behind the link to confirm an address',
    answer: asText('text/html', 'A page with a button; opening it uses nothing up'),
  },
  'POST /account/password/reset': {
    id: 'resetPassword',
    tag: 'Account',
    summary: 'Ask for a link, or use it to set a password',
    description: 'The answer is the same whether the address is known or not.',
    body: { schema: ref('PasswordReset'), example: { email: 'ada@example.com' } },
    answer: done,
    refusals: { 404: why('The account is gone') },
  },
  'GET /account/password/reset': {
    id: 'showPasswordReset',
    tag: 'Account',
    summary: 'Page behind the link to set a password',
    answer: asText('text/html', 'A page with a form'),
  },
  'GET /accounts': {
    id: 'listAccounts',
    tag: 'Accounts',
    summary: 'All accounts',
    query: { ...pageOf(), search: may(text('A user id or a whole address', { maxLength: 254 })) },
    answer: json(ref('AccountPage'), { accounts: [account], nextCursor: null }),
  },
  'PUT /accounts/:userId': {
    id: 'administerAccount',
    tag: 'Accounts',
    summary: 'Set plan and system role',
    path: { userId: text('The user', { pattern: '^[1-9]\\d{0,9}$', examples: ['7'] }) },
    body: { schema: ref('Administration'), example: { plan: 'unlimited', systemRole: 'auditor' } },
    answer: json(ref('Account'), account),
    refusals: { 404: why('There is no such account') },
  },
};
