import { type RoleId, roles } from '../../domain/project/roles.ts';
import { isProjectScope, type TokenScope, tokenScopes } from '../../domain/account/token-scopes.ts';
import type { Principal, PrincipalLimits } from '../context/principal.ts';
import { ScopeMissing } from '../errors/refusals.ts';
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
      return right.who === 'admin' ? 'systemAdmin' : 'systemRead';
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

/** Refuses a token without one of these scopes, and names the first that it lacks. */
export function requireScopes(caller: Limited, scopes: readonly TokenScope[]): void {
  const missing = scopes.find((scope) => !hasScope(caller, scope));
  if (missing !== undefined) throw new ScopeMissing(missing);
}

/** What any role comes with. */
const everyMember: readonly TokenScope[] = ['member', 'export', 'feed'];

/** A narrowed token must not widen itself through an account of its holder's: it grants no role with rights that it lacks. */
export const requireGrantable = (caller: Limited, role: RoleId): void => {
  const { permissions } = roles[role];
  const others: readonly TokenScope[] = permissions.includes('editTests') ? [...everyMember, 'evidence'] : everyMember;
  requireScopes(caller, [...permissions.filter((permission) => permission !== 'apiKey'), ...others]);
};

/** System roles come with rights in every project and beyond. */
export const requireEveryScope = (caller: Limited): void => {
  requireScopes(caller, tokenScopes);
};

/** Whether the project is one of those of the token. */
export const coversProject = ({ limits }: Limited, projectId: string): boolean => limits?.projects?.has(projectId) ?? true;
