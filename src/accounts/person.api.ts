import { reportPeriods, systemRoles } from './account.settings.ts';
import {
  type Fields,
  flag,
  integer,
  named,
  orNull,
  record,
  text,
  type ValueOf,
  type ValuesOf,
  word,
} from '../platform/http/description/schema.ts';
import { instant } from '../platform/http/description/vocabulary.ts';

/** docs/spec/interface.md#project-user: the fields of a person in every project. */
export const personFields = {
  id: text('Id of the user', { pattern: '^[1-9][0-9]*$', examples: ['7'] }),
  email: orNull(text('E-mail address; null only as of an instant before the account was erased', { examples: ['ada@example.com'] })),
  phone: orNull(text('Telephone number; shown to the user alone')),
  name: orNull(text('Name; null only as of an instant before the account was erased', { examples: ['Ada'] })),
  confirmed: flag('Whether the address was confirmed'),
  confirmTokenExpiration: record('Expiry of the last link to confirm the address', {
    date: text('Without an offset', {
      pattern: '^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d\\.\\d{6}$',
      examples: ['2022-10-21 13:26:14.000000'],
    }),
    timezone_type: integer('3: `timezone` is a name', { format: 'int32', examples: [3] }),
    timezone: text('Time zone of the date', { examples: ['UTC'] }),
  }),
  timezone: text('Name of a time zone; `UTC` for others', { examples: ['Europe/Prague'] }),
  reportPeriod: word(reportPeriods, 'How often a report is sent; `week` for others'),
  notificationEmail: orNull(text('Receives the messages instead of the address of the account; shown to the user alone')),
  notificationDelay: integer('Minutes between the first failing run and a message; 0 for others', {
    format: 'int32',
    minimum: 0,
    maximum: 1440,
  }),
  apiKey: text('Shown to the user alone, empty for others; it authenticates no request', { examples: [''] }),
} satisfies Fields;

export type PersonAnswer = ValuesOf<typeof personFields>;

export const accountSchema = named(
  'Account',
  record('An account, as shown to its user and to administrators', {
    ...personFields,
    plan: text('Subscription plan', { examples: ['basic', 'unlimited'] }),
    systemRole: orNull(word(systemRoles, 'Role in the installation')),
    created: instant('Time of creation'),
  }),
);
export type AccountAnswer = ValueOf<typeof accountSchema>;
