import type { SealedLimits } from '../../accounts/token-scopes.ts';
import type { LogEventOf } from '../../events.ts';
import type { EventMeta } from '../../kernel/event.ts';
import type { ServiceRole } from '../../accounts/rights/roles.ts';
import { defineView, INSTALLATION, scopeId } from '../../platform/read-models/authoring/define-view.ts';
import { settingsTag } from '../../platform/commands/settings-tag.ts';
import { type Thing, thingRow } from '../../platform/http/conditions/thing.ts';
import type { ServiceAccounts } from './service-account.state.ts';
import type { Views } from '../../platform/read-models/views/views.ts';

export interface ServiceToken extends Omit<SealedLimits, 'projects'> {
  readonly tokenId: string;
  readonly name: string;
  readonly createdAt: string;
  /** The account that knows it; null: the operator. */
  readonly createdBy: number | null;
  readonly expiresAt: string;
}

export interface KnownServiceAccount {
  readonly id: string;
  readonly name: string;
  readonly role: ServiceRole;
  readonly createdAt: string;
  readonly createdBy: number | null;
  /** Not revoked, but possibly expired. */
  readonly tokens: readonly ServiceToken[];
}

/** The service accounts of a project, or of the installation. */
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

type Row = ServiceAccountsRow | null;

const personIn = ({ actor: { kind, id } }: EventMeta): number | null => (kind === 'user' || kind === 'token' ? Number(id) : null);

const handlers = {
  ServiceAccountCreated: (row: Row, { data: { serviceAccountId: id, name, role }, meta }: LogEventOf<'ServiceAccountCreated'>): Row => ({
    accounts: [...(row?.accounts ?? []), { id, name, role, createdAt: meta.occurredAt, createdBy: personIn(meta), tokens: [] }],
  }),
  ServiceAccountRenamed: (row: Row, { data }: LogEventOf<'ServiceAccountRenamed'>): Row =>
    change(row, data.serviceAccountId, () => ({ name: data.to })),
  ServiceAccountRoleChanged: (row: Row, { data }: LogEventOf<'ServiceAccountRoleChanged'>): Row =>
    change(row, data.serviceAccountId, () => ({ role: data.to })),
  ServiceAccountDeleted: (row: Row, { data }: LogEventOf<'ServiceAccountDeleted'>): Row =>
    row && { accounts: row.accounts.filter(({ id }) => id !== data.serviceAccountId) },
  ServiceTokenIssued: (row: Row, { data, meta }: LogEventOf<'ServiceTokenIssued'>): Row => {
    const { serviceAccountId, tokenId, name, expiresAt, scopes = null, addresses = null } = data;
    return change(row, serviceAccountId, ({ tokens }) => ({
      tokens: [...tokens, { tokenId, name, createdAt: meta.occurredAt, createdBy: personIn(meta), expiresAt, scopes, addresses }],
    }));
  },
  ServiceTokenRevoked: (row: Row, { data }: LogEventOf<'ServiceTokenRevoked'>): Row =>
    change(row, data.serviceAccountId, ({ tokens }) => ({ tokens: tokens.filter(({ tokenId }) => tokenId !== data.tokenId) })),
};

/** Beside the row of the project, which every request about the project reads. */
export const serviceAccountView = defineView<ServiceAccountsRow>()({
  name: 'service_account',
  version: 2,
  scope: 'project',
  key: scopeId,
  on: { ...handlers, ProjectDeleted: () => null },
});

/** The service accounts of the installation. */
export const installationServiceAccountView = defineView<ServiceAccountsRow>()({
  name: 'installation_service_account',
  version: 2,
  scope: 'system',
  key: () => INSTALLATION,
  on: handlers,
});

export const serviceAccountTag = (
  serviceAccountId: string,
  { name, role }: { readonly name: string; readonly role: ServiceRole },
): string => settingsTag('serviceAccount', serviceAccountId, { name, role });

export function serviceAccountTagIn(serviceAccountId: string, accounts: ServiceAccounts): string | null {
  const account = accounts.get(serviceAccountId);
  return account === undefined ? null : serviceAccountTag(serviceAccountId, account);
}

/** Without a project it is one of the installation. */
export const serviceAccountThing: Thing = {
  name: 'serviceAccount',
  row: ({ projectId, serviceAccountId }) => {
    const tag = (row: ServiceAccountsRow | null): string | null => {
      const account = row?.accounts.find(({ id }) => id === serviceAccountId);
      return account === undefined ? null : serviceAccountTag(serviceAccountId, account);
    };
    return projectId === '' ? thingRow(installationServiceAccountView, INSTALLATION, tag) : thingRow(serviceAccountView, projectId, tag);
  },
};

/** The service accounts of a project; `projectId` null: of the installation. */
export async function serviceAccountsIn(views: Pick<Views, 'get'>, projectId: string | null): Promise<readonly KnownServiceAccount[]> {
  const row =
    projectId === null ? await views.get(installationServiceAccountView, INSTALLATION) : await views.get(serviceAccountView, projectId);
  return row?.accounts ?? [];
}

/** What goes on after these accounts have left: the service accounts that they created, and those with a valid token that they know. */
export const leftBehind = (
  accounts: readonly KnownServiceAccount[],
  userIds: readonly number[],
  now: number,
): readonly KnownServiceAccount[] =>
  accounts.flatMap((account) => {
    const isTheirs = ({ createdBy }: { readonly createdBy: number | null }): boolean => createdBy !== null && userIds.includes(createdBy);
    const tokens = account.tokens.filter((token) => isTheirs(token) && Date.parse(token.expiresAt) > now);
    return tokens.length > 0 || isTheirs(account) ? [{ ...account, tokens }] : [];
  });
