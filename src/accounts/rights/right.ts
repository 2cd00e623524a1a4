import type { TokenScope } from '../token-scopes.ts';
import type { Permission } from './roles.ts';

/**
 * What an operation on a project asks of its caller: a permission, any membership, to be the owner, who pays for the project, or to see the evidence,
 * which may show what belongs to others where a page lies behind a sign-in.
 */
export type ProjectNeed = Exclude<Permission, 'apiKey'> | 'member' | 'owner' | 'evidence';

export interface ProjectRight {
  readonly kind: 'project';
  readonly needs: ProjectNeed;
  /** The answer to an unknown id: 404 where the interface lists it, elsewhere the 403 of a project of others (docs/spec/decisions.md#G6). */
  readonly unknown: 403 | 404;
  /** System auditors also read a deleted project; the handler then finds no loaded row. */
  readonly afterDeletion: boolean;
  /** The project's facts are read in the same query, because the handler answers with them. */
  readonly withFacts: boolean;
  /** The scope that it asks of a narrowed token: that of the same name unless stated. */
  readonly scope: TokenScope;
}

export type Right =
  /** No token needed. */
  | { readonly kind: 'public' }
  /** The caller's own account: any token, also on a plan without API access (docs/spec/decisions.md#A6). `unconfirmed`: also before its address is confirmed; `enrolling`: also while it lacks the second factor that it must have. */
  | { readonly kind: 'account'; readonly unconfirmed: boolean; readonly enrolling: boolean; readonly scope: 'account' | null }
  /** Every caller whose plan has API access. */
  | { readonly kind: 'caller'; readonly scope: 'read' | 'edit' | 'feed' | null }
  /** The same except auditors, who change and start nothing (docs/spec/beyond.md#B1). */
  | { readonly kind: 'creator' }
  /** `people`: administrators, but no service account: those manage no accounts (docs/spec/beyond.md#B28). */
  | { readonly kind: 'system'; readonly who: 'admin' | 'reader' | 'people' }
  | ProjectRight;

export const openRight: Right = { kind: 'public' };
export const accountRight: Right = { kind: 'account', unconfirmed: false, enrolling: false, scope: 'account' };
/** What an account may do that must have a second factor and has none (docs/spec/decisions.md#A17). */
export const enrolmentRight: Right = { kind: 'account', unconfirmed: false, enrolling: true, scope: 'account' };
/** What an account may do before its address is confirmed (docs/spec/decisions.md#A14). */
export const unconfirmedRight: Right = { kind: 'account', unconfirmed: true, enrolling: true, scope: 'account' };
/** Every token may end itself. */
export const signOutRight: Right = { kind: 'account', unconfirmed: true, enrolling: true, scope: null };
export const callerRight: Right = { kind: 'caller', scope: 'read' };
/** What asks for the right `edit` in projects that the route does not name. */
export const editorRight: Right = { kind: 'caller', scope: 'edit' };
/** What follows from the rights of the caller in each project, and from its system role. */
export const feedRight: Right = { kind: 'caller', scope: 'feed' };
/** Every token may ask whose it is. */
export const tokenRight: Right = { kind: 'caller', scope: null };
export const creatorRight: Right = { kind: 'creator' };
export const systemAdmin: Right = { kind: 'system', who: 'admin' };
/** Administrators who are people. */
export const systemPeople: Right = { kind: 'system', who: 'people' };
/** Administrators and auditors. */
export const systemReader: Right = { kind: 'system', who: 'reader' };

/** On the project that the route names: by its id, or by the id of one of its tests or areas. */
export const projectRight = (needs: ProjectNeed, more: Partial<Omit<ProjectRight, 'kind' | 'needs'>> = {}): Right => ({
  kind: 'project',
  needs,
  unknown: 403,
  afterDeletion: false,
  withFacts: false,
  scope: needs,
  ...more,
});
