import { Inject, Injectable } from '@nestjs/common';
import { KEYRING, type Keyring } from '../../security/keyring/keyring.ts';
import type { Sealed } from '../../kernel/event.ts';
import type { AccountRow } from '../../projections/read-models/account/account.view.ts';
import { inUtc } from '../presentation/answers.ts';
import type { AccountAnswer, PersonAnswer } from './person.description.ts';

/** An account with its sealed fields opened; null for all of them once the account was erased, also in reads as of an earlier instant. */
export interface Person {
  readonly row: AccountRow;
  readonly email: string | null;
  readonly name: string | null;
  readonly phone: string | null;
  readonly notificationEmail: string | null;
  /** Shown only to the account itself (docs/spec/decisions.md#permissions). */
  readonly apiKey: string;
}

@Injectable()
export class People {
  constructor(@Inject(KEYRING) private readonly keyring: Keyring) {}

  async open(row: AccountRow, callerId: number): Promise<Person> {
    const text = (sealed: Sealed | null): Promise<string | null> => (sealed === null ? Promise.resolve(null) : this.keyring.open(sealed));
    const [email, name, phone, notificationEmail, apiKey] = await Promise.all([
      text(row.email),
      text(row.name),
      text(row.phone),
      text(row.notificationEmail),
      row.userId === callerId ? text(row.apiKey) : null,
    ]);
    return { row, email, name, phone, notificationEmail, apiKey: apiKey ?? '' };
  }
}

/** docs/spec/interface.md#project-user: the fields of a person that are the same in every project. */
export function presentPerson({ row, email, name, phone, notificationEmail, apiKey }: Person): PersonAnswer {
  return {
    id: String(row.userId),
    email,
    phone,
    name,
    confirmed: row.confirmed,
    confirmTokenExpiration: presentLinkExpiry(row.confirmationEndsAt),
    timezone: row.timezone,
    reportPeriod: row.reportPeriod,
    notificationEmail,
    notificationDelay: row.notificationDelay,
    apiKey,
  };
}

/** With the fields that only the account itself and administrators see. */
export const presentAccount = (person: Person): AccountAnswer => ({
  ...presentPerson(person),
  plan: person.row.plan,
  systemRole: person.row.systemRole,
  created: inUtc(person.row.createdAt),
});

/** `2022-10-21 13:26:14.000000`, in UTC. */
const presentLinkExpiry = (instant: string): PersonAnswer['confirmTokenExpiration'] => ({
  date: `${new Date(instant).toISOString().slice(0, 19).replace('T', ' ')}.000000`,
  timezone_type: 3,
  timezone: 'UTC',
});
