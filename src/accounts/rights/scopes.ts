import { isSystemRole, type PermissionSwitches, type RoleId, roles, type ServiceRole, switchesOf } from './roles.ts';
import { isProjectScope, type TokenScope } from '../token-scopes.ts';
import type { Principal, PrincipalLimits } from '../../platform/http/context/principal.ts';
import { ScopeMissing } from '../../platform/http/errors/refusals.ts';
import type { Right } from './right.ts';

type Limited = Pick<Principal, 'limits'>;

/** The scope that a route with this right asks of a narrowed token; null: none (docs/spec/beyond.md#B23). */
export function scopeOf(right: Right): TokenScope | null {
  switch (right.kind) {
    case 'public':
      return null;
    case 'creator':
      return 'create';
    case 'system':
      return right.who === 'reader' ? 'systemRead' : 'systemAdmin';
    case 'account':
    case 'caller':
    case 'project':
      return right.scope;
  }
}

const has = ({ scopes, projects }: PrincipalLimits, scope: TokenScope): boolean =>
  (scopes?.has(scope) ?? true) && (projects === null || isProjectScope(scope));

/** Whether the token of a request may do what this scope is about, if its account may. */
export const hasScope = ({ limits }: Limited, scope: TokenScope): boolean => limits === null || has(limits, scope);

/** What the caller may do with the token of the request: the rights of its account and the scopes of the token together (docs/spec/beyond.md#B23). */
export function permissionsOf(
  { role, owner }: { readonly role: RoleId | null; readonly owner: boolean },
  caller: Limited,
): PermissionSwitches {
  const { read, run, editTest, editTests, edit, manageUsers, apiKey, leave } = switchesOf(role, owner);
  const may = (scope: TokenScope): boolean => hasScope(caller, scope);
  return {
    read: read && may('read'),
    run: run && may('run'),
    editTest: editTest && may('editTests'),
    editTests: editTests && may('editTests'),
    edit: edit && may('edit'),
    manageUsers: manageUsers && may('manageUsers'),
    // Shown with the project.
    apiKey: apiKey && may('read'),
    leave: leave && may('member'),
  };
}

/** Refuses a token without one of these scopes, and names the first that it lacks. */
export function requireScopes(caller: Limited, scopes: readonly TokenScope[]): void {
  const missing = scopes.find((scope) => !hasScope(caller, scope));
  if (missing !== undefined) throw new ScopeMissing(missing);
}

/** What any role comes with. */
const everyMember: readonly TokenScope[] = ['member', 'export', 'feed'];

/** Those that a role comes with: a narrowed token must not widen itself through another account of its holder's. */
export function scopesOfRole(role: RoleId): readonly TokenScope[] {
  const { permissions } = roles[role];
  const others: readonly TokenScope[] = permissions.includes('editTests') ? [...everyMember, 'evidence'] : everyMember;
  return [...permissions.filter((permission) => permission !== 'apiKey'), ...others];
}

const ofAuditor: readonly TokenScope[] = ['read', 'evidence', 'export', 'feed', 'systemRead'];

/** Those of a service account with a role: people alone manage members, accounts and service accounts, and have notification settings. */
export function scopesOfService(role: ServiceRole): readonly TokenScope[] {
  if (isSystemRole(role)) return role === 'auditor' ? ofAuditor : ['feed', 'systemRead', 'systemAdmin'];
  return scopesOfRole(role).filter((scope) => scope !== 'manageUsers' && scope !== 'member');
}

/** Every scope that a service account of a project can have. */
export const serviceScopes = scopesOfService('4');

/** Whether the project is one of those of the token. */
export const coversProject = ({ limits }: Limited, projectId: string): boolean => limits?.projects?.has(projectId) ?? true;
