import type { EntriesOf } from '../../kernel/catalogue.ts';
import type { Sealed } from '../../kernel/event.ts';

export type SystemRole = 'admin' | 'auditor';

/** E-mail, name and phone are sealed with the account's key: erasing the account deletes the key. */
export interface AccountEvents {
  AccountOpened: {
    readonly userId: number;
    readonly email: Sealed;
    readonly name: Sealed;
    readonly plan: string;
    readonly systemRole: SystemRole | null;
    readonly confirmed: boolean;
    readonly by: 'installation' | 'registration' | 'invitation' | 'administrator';
  };
  AccountErased: { readonly userId: number };
}

export const accountEvents = { AccountOpened: { version: 1 }, AccountErased: { version: 1 } } satisfies EntriesOf<AccountEvents>;
