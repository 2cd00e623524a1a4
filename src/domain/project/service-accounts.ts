import { DomainError } from '../../kernel/errors.ts';
import { requireOpenProject } from './decisions.ts';
import { mustGrant, mustManage } from './members.ts';
import type { OpenProject, Project, ProjectEvent } from './project.ts';
import type { ProjectEvents } from './project.events.ts';
import type { RoleId } from './roles.ts';
import type { ServiceAccount } from './service-account-state.ts';

export const MAX_SERVICE_ACCOUNTS = 50;
/** Of one service account. */
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
    super(`a project may have at most ${String(MAX_SERVICE_ACCOUNTS)} service accounts; delete one first`);
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

/** People who manage users manage service accounts; a service account does not. */
export function createServiceAccount(state: Project, wanted: ProjectEvents['ServiceAccountCreated'], by: number): readonly ProjectEvent[] {
  const project = requireOpenProject(state);
  mustGrant(project, wanted.role, by);
  if (project.serviceAccounts.size >= MAX_SERVICE_ACCOUNTS) throw new TooManyServiceAccounts();
  return [{ type: 'ServiceAccountCreated', data: wanted }];
}

export function changeServiceAccount(
  state: Project,
  serviceAccountId: string,
  { name, role }: { readonly name?: string | undefined; readonly role?: RoleId | undefined },
  by: number,
): readonly ProjectEvent[] {
  const project = requireOpenProject(state);
  mustManage(project, by);
  const account = requireServiceAccount(project, serviceAccountId);
  if (role !== undefined) mustGrant(project, role, by);
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
export function deleteServiceAccount(state: Project, serviceAccountId: string, by: number): readonly ProjectEvent[] {
  const project = requireOpenProject(state);
  mustManage(project, by);
  const { name } = requireServiceAccount(project, serviceAccountId);
  return [{ type: 'ServiceAccountDeleted', data: { serviceAccountId, name } }];
}

/** A token holds the role of its account, so its maker must be able to grant it. At the limit, expired tokens make room. */
export function issueServiceToken(
  state: Project,
  token: ProjectEvents['ServiceTokenIssued'],
  by: number,
  now: number,
): readonly ProjectEvent[] {
  const project = requireOpenProject(state);
  mustManage(project, by);
  const { serviceAccountId, tokenId } = token;
  const { role, tokens } = requireServiceAccount(project, serviceAccountId);
  mustGrant(project, role, by);
  if (tokens.has(tokenId)) return [];
  const issued: ProjectEvent = { type: 'ServiceTokenIssued', data: token };
  if (tokens.size < MAX_SERVICE_TOKENS) return [issued];
  const ended = [...tokens].filter(([, expiresAt]) => Date.parse(expiresAt) <= now);
  if (ended.length === 0) throw new TooManyServiceTokens();
  return [...ended.map(([id]): ProjectEvent => ({ type: 'ServiceTokenRevoked', data: { serviceAccountId, tokenId: id } })), issued];
}

/** `by` null: the token ends itself. */
export function revokeServiceToken(
  state: Project,
  { serviceAccountId, tokenId }: ProjectEvents['ServiceTokenRevoked'],
  by: number | null,
): readonly ProjectEvent[] {
  const project = requireOpenProject(state);
  if (by !== null) mustManage(project, by);
  requireServiceToken(project, serviceAccountId, tokenId);
  return [{ type: 'ServiceTokenRevoked', data: { serviceAccountId, tokenId } }];
}

/** Refuses a token that its account does not have, or no longer. */
export function requireServiceToken(state: Project, serviceAccountId: string, tokenId: string): void {
  if (!requireServiceAccount(requireOpenProject(state), serviceAccountId).tokens.has(tokenId)) throw new ServiceTokenNotFound();
}

function requireServiceAccount({ serviceAccounts }: OpenProject, serviceAccountId: string): ServiceAccount {
  const account = serviceAccounts.get(serviceAccountId);
  if (account === undefined) throw new ServiceAccountNotFound();
  return account;
}
