import type { SystemRole } from '../../domain/account/account.events.ts';
import type { Sealed } from '../../kernel/event.ts';
import { defineView, scopeId } from '../kit/define-view.ts';

export interface AccountRow {
  readonly userId: number;
  readonly email: Sealed;
  readonly name: Sealed;
  readonly plan: string;
  readonly systemRole: SystemRole | null;
  readonly confirmed: boolean;
  readonly createdAt: string;
}

export const accountView = defineView<AccountRow>()({
  name: 'account',
  version: 1,
  scope: 'account',
  key: scopeId,
  on: {
    AccountOpened: (_, { data, meta }) => ({
      userId: data.userId,
      email: data.email,
      name: data.name,
      plan: data.plan,
      systemRole: data.systemRole,
      confirmed: data.confirmed,
      createdAt: meta.occurredAt,
    }),
    AccountErased: () => null,
  },
});
