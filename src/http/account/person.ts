import { Inject, Injectable } from '@nestjs/common';
import { KEYRING, type Keyring } from '../../security/keyring/keyring.ts';
import type { Sealed } from '../../kernel/event.ts';
import type { AccountRow } from '../../projections/read-models/account/account.view.ts';
import { inUtc } from '../presentation/answers.ts';

/** What is sealed of an account, opened. Null where the account was erased since: also as of an instant at which it stood. */
export interface Person {
  readonly row: AccountRow;
  readonly email: string | null;
  readonly name: string | null;
  readonly phone: string | null;
  readonly notificationEmail: string | null;
  /** Shown to the account itself alone (docs/spec/decisions.md#permissions). */
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
