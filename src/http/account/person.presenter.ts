import { inUtc } from '../presentation/instant.ts';
import type { Person } from './person.ts';

/** docs/spec/interface.md#project-user: what a person is in every project. */
export function presentPerson({ row, email, name, phone, notificationEmail, apiKey }: Person): object {
  return {
    id: String(row.userId),
    email,
    phone,
    name,
    confirmed: row.confirmed,
    confirmTokenExpiration: presentLinkEnd(row.confirmationEndsAt),
    timezone: row.timezone,
    reportPeriod: row.reportPeriod,
    notificationEmail,
    notificationDelay: row.notificationDelay,
    apiKey,
  };
}

/** The same with what only the account itself and administrators see. */
export const presentAccount = (person: Person): object => ({
  ...presentPerson(person),
  plan: person.row.plan,
  systemRole: person.row.systemRole,
  created: inUtc(person.row.createdAt),
});

/** `2022-10-21 13:26:14.000000`, in UTC. */
const presentLinkEnd = (instant: string): object => ({
  date: `${new Date(instant).toISOString().slice(0, 19).replace('T', ' ')}.000000`,
  timezone_type: 3,
  timezone: 'UTC',
});
