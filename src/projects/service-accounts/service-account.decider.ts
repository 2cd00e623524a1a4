import { DomainError } from '../../kernel/errors.ts';
import type { ProjectEvents } from '../project.events.ts';
import type { ServiceRole } from '../../accounts/rights/roles.ts';
import type { ServiceAccount, ServiceAccountEvent, ServiceAccounts } from './service-account.state.ts';

/** The service accounts of a project or of the installation, and what the caller may do with them. */
export interface ManagedServiceAccounts {
  readonly accounts: ServiceAccounts;
  /** Throws unless the caller manages them. */
  readonly mustManage: () => void;
  /** Throws unless the caller manages them, and may give them this role. */
  readonly mustGrant: (role: ServiceRole) => void;
}

/** The limit of a project, and of the installation. */
export const MAX_SERVICE_ACCOUNTS = 50;
/** The limit of one service account. */
export const MAX_SERVICE_TOKENS = 20;

export class ServiceAccountNotFound extends DomainError {
  readonly code = 'SERVICE_ACCOUNT_NOT_FOUND';

  constructor() {
    super('The service account was not found.');
  }
}

export class TooManyServiceAccounts extends DomainError {
  readonly code = 'TOO_MANY_SERVICE_ACCOUNTS';

  constructor() {
    super(`there may be at most ${String(MAX_SERVICE_ACCOUNTS)} service accounts; delete one first`);
  }
}

export class TooManyServiceTokens extends DomainError {
  readonly code = 'TOO_MANY_TOKENS';

  constructor() {
    super(`a service account may have at most ${String(MAX_SERVICE_TOKENS)} tokens; revoke one first`);
  }
}

export class ServiceTokenNotFound extends DomainError {
  readonly code = 'TOKEN_NOT_FOUND';

  constructor() {
    super('The token was not found.');
  }
}

export function createServiceAccount(
  { accounts, mustGrant }: ManagedServiceAccounts,
  wanted: ProjectEvents['ServiceAccountCreated'],
): readonly ServiceAccountEvent[] {
  mustGrant(wanted.role);
  if (accounts.size >= MAX_SERVICE_ACCOUNTS) throw new TooManyServiceAccounts();
  return [{ type: 'ServiceAccountCreated', data: wanted }];
}

export function changeServiceAccount(
  { accounts, mustManage, mustGrant }: ManagedServiceAccounts,
  serviceAccountId: string,
  { name, role }: { readonly name?: string | undefined; readonly role?: ServiceRole | undefined },
): readonly ServiceAccountEvent[] {
  mustManage();
  const account = requireServiceAccount(accounts, serviceAccountId);
  if (role !== undefined) mustGrant(role);
  return [
    ...(name === undefined || name === account.name
      ? []
      : [{ type: 'ServiceAccountRenamed', data: { serviceAccountId, from: account.name, to: name } } as const]),
    ...(role === undefined || role === account.role
      ? []
      : [{ type: 'ServiceAccountRoleChanged', data: { serviceAccountId, from: account.role, to: role } } as const]),
  ];
}

/** Its tokens end with it. */
export function deleteServiceAccount(
  { accounts, mustManage }: ManagedServiceAccounts,
  serviceAccountId: string,
): readonly ServiceAccountEvent[] {
  mustManage();
  const { name } = requireServiceAccount(accounts, serviceAccountId);
  return [{ type: 'ServiceAccountDeleted', data: { serviceAccountId, name } }];
}

/** A token holds the role of its account, so its maker must be able to grant it. At the limit, expired tokens make room. */
export function issueServiceToken(
  { accounts, mustManage, mustGrant }: ManagedServiceAccounts,
  token: ProjectEvents['ServiceTokenIssued'],
  now: number,
): readonly ServiceAccountEvent[] {
  mustManage();
  const { serviceAccountId, tokenId } = token;
  const { role, tokens } = requireServiceAccount(accounts, serviceAccountId);
  mustGrant(role);
  if (tokens.has(tokenId)) return [];
  const issued: ServiceAccountEvent = { type: 'ServiceTokenIssued', data: token };
  if (tokens.size < MAX_SERVICE_TOKENS) return [issued];
  const ended = [...tokens].filter(([, expiresAt]) => Date.parse(expiresAt) <= now);
  if (ended.length === 0) throw new TooManyServiceTokens();
  return [...ended.map(([id]): ServiceAccountEvent => ({ type: 'ServiceTokenRevoked', data: { serviceAccountId, tokenId: id } })), issued];
}

export function revokeServiceToken(
  { accounts, mustManage }: ManagedServiceAccounts,
  { serviceAccountId, tokenId }: ProjectEvents['ServiceTokenRevoked'],
): readonly ServiceAccountEvent[] {
  mustManage();
  requireServiceToken(accounts, serviceAccountId, tokenId);
  return [{ type: 'ServiceTokenRevoked', data: { serviceAccountId, tokenId } }];
}

/** Refuses a token that its account does not have, or no longer. */
export function requireServiceToken(accounts: ServiceAccounts, serviceAccountId: string, tokenId: string): void {
  if (!requireServiceAccount(accounts, serviceAccountId).tokens.has(tokenId)) throw new ServiceTokenNotFound();
}

function requireServiceAccount(accounts: ServiceAccounts, serviceAccountId: string): ServiceAccount {
  const account = accounts.get(serviceAccountId);
  if (account === undefined) throw new ServiceAccountNotFound();
  return account;
}
