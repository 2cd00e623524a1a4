import type { Keyring } from '../../security/keyring/keyring.ts';
import type { AccountRow } from '../../projections/read-models/account/account.view.ts';

export interface ListedAccount {
  readonly userId: number;
  readonly email: string | null;
  readonly name: string | null;
  readonly plan: string;
  readonly systemRole: string | null;
  readonly confirmed: boolean;
}

export async function listed(row: AccountRow, keyring: Keyring): Promise<ListedAccount> {
  const [email, name] = await Promise.all([keyring.open(row.email), keyring.open(row.name)]);
  return { userId: row.userId, email, name, plan: row.plan, systemRole: row.systemRole, confirmed: row.confirmed };
}

export const lineOf = ({ userId, email, name, plan, systemRole, confirmed }: ListedAccount): string =>
  [String(userId).padStart(5), email ?? '(erased)', name ?? '', plan, systemRole ?? '', confirmed ? '' : 'not confirmed']
    .join('  ')
    .trimEnd();
