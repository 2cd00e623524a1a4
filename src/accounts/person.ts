import { Injectable } from '@nestjs/common';
import { Keyring } from '../platform/security/keyring/keyring.ts';
import type { Sealed } from '../kernel/event.ts';
import type { AccountRow } from './account.view.ts';
import { inUtc } from '../platform/http/presentation/answers.ts';
import type { AccountAnswer, PersonAnswer } from './person.api.ts';

/** An account with its sealed fields opened; null for all of them once the account was erased, also in reads as of an earlier instant. */
export interface Person {
  readonly row: AccountRow;
  readonly email: string | null;
  readonly name: string | null;
  readonly phone: string | null;
  readonly notificationEmail: string | null;
  readonly apiKey: string;
  /** Whether the person reads it. To everybody else phone, notification address, key and preferences are empty (docs/spec/decisions.md#A15). */
  readonly own: boolean;
}

@Injectable()
export class People {
  constructor(private readonly keyring: Keyring) {}

  async open(row: AccountRow, callerId: number): Promise<Person> {
    const text = (sealed: Sealed | null): Promise<string | null> => (sealed === null ? Promise.resolve(null) : this.keyring.open(sealed));
    const own = row.userId === callerId;
    const [email, name, phone, notificationEmail, apiKey] = await Promise.all([
      text(row.email),
      text(row.name),
      text(own ? row.phone : null),
      text(own ? row.notificationEmail : null),
      text(own ? row.apiKey : null),
    ]);
    return { row, email, name, phone, notificationEmail, apiKey: apiKey ?? '', own };
  }
}

/** docs/spec/interface.md#project-user: the fields of a person that are the same in every project. */
export function presentPerson({ row, email, name, phone, notificationEmail, apiKey, own }: Person): PersonAnswer {
  const { timezone, reportPeriod, notificationDelay } = own ? row : noPreferences;
  return {
    id: String(row.userId),
    email,
    phone,
    name,
    confirmed: row.confirmed,
    confirmTokenExpiration: presentLinkExpiry(row.confirmationEndsAt),
    timezone,
    reportPeriod,
    notificationEmail,
    notificationDelay,
    apiKey,
  };
}

/** The values in place of those that are shown to the person alone, where the interface requires a value. */
export const noPreferences = { timezone: 'UTC', reportPeriod: 'week', notificationDelay: 0 } as const;

/** With the fields that only the account itself and administrators see. */
export const presentAccount = (person: Person): AccountAnswer => ({
  ...presentPerson(person),
  plan: person.row.plan,
  systemRole: person.row.systemRole,
  created: inUtc(person.row.createdAt),
});

/** `2022-10-21 13:26:14.000000`, in UTC. */
export const presentLinkExpiry = (instant: string): PersonAnswer['confirmTokenExpiration'] => ({
  date: `${new Date(instant).toISOString().slice(0, 19).replace('T', ' ')}.000000`,
  timezone_type: 3,
  timezone: 'UTC',
});
