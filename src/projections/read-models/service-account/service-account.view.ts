import type { SealedLimits } from '../../../domain/account/token-scopes.ts';
import type { RoleId } from '../../../domain/project/roles.ts';
import { defineView, scopeId } from '../../authoring/define-view.ts';

export interface ServiceToken extends Omit<SealedLimits, 'projects'> {
  readonly tokenId: string;
  readonly name: string;
  readonly createdAt: string;
  readonly expiresAt: string;
}

export interface KnownServiceAccount {
  readonly id: string;
  readonly name: string;
  readonly role: RoleId;
  readonly createdAt: string;
  /** Not revoked, but possibly expired. */
  readonly tokens: readonly ServiceToken[];
}

/** Of a project. */
export interface ServiceAccountsRow {
  /** In the order in which they were created. */
  readonly accounts: readonly KnownServiceAccount[];
}

const change = (
  row: ServiceAccountsRow | null,
  id: string,
  to: (account: KnownServiceAccount) => Partial<KnownServiceAccount>,
): ServiceAccountsRow | null =>
  row && { accounts: row.accounts.map((account) => (account.id === id ? { ...account, ...to(account) } : account)) };

/** Beside the row of the project, which every request about the project reads. */
export const serviceAccountView = defineView<ServiceAccountsRow>()({
  name: 'service_account',
  version: 1,
  scope: 'project',
  key: scopeId,
  on: {
    ServiceAccountCreated: (row, { data: { serviceAccountId: id, name, role }, meta }) => ({
      accounts: [...(row?.accounts ?? []), { id, name, role, createdAt: meta.occurredAt, tokens: [] }],
    }),
    ServiceAccountRenamed: (row, { data }) => change(row, data.serviceAccountId, () => ({ name: data.to })),
    ServiceAccountRoleChanged: (row, { data }) => change(row, data.serviceAccountId, () => ({ role: data.to })),
    ServiceAccountDeleted: (row, { data }) => row && { accounts: row.accounts.filter(({ id }) => id !== data.serviceAccountId) },
    ServiceTokenIssued: (row, { data: { serviceAccountId, tokenId, name, expiresAt, scopes = null, addresses = null }, meta }) =>
      change(row, serviceAccountId, ({ tokens }) => ({
        tokens: [...tokens, { tokenId, name, createdAt: meta.occurredAt, expiresAt, scopes, addresses }],
      })),
    ServiceTokenRevoked: (row, { data }) =>
      change(row, data.serviceAccountId, ({ tokens }) => ({ tokens: tokens.filter(({ tokenId }) => tokenId !== data.tokenId) })),
    ProjectDeleted: () => null,
  },
});
