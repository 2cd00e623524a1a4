import type { Sealed } from '../kernel/event.ts';

/** Scopes about a project: the rights of its routes, and what is read at length. */
export const projectScopes = ['read', 'run', 'editTests', 'edit', 'manageUsers', 'member', 'owner', 'evidence', 'export', 'feed'] as const;
/** Scopes about no one project. */
const otherScopes = ['create', 'account', 'systemRead', 'systemAdmin'] as const;

/** What a token may be narrowed to (docs/spec/beyond.md#B23). */
export const tokenScopes = [...projectScopes, ...otherScopes] as const;
export type TokenScope = (typeof tokenScopes)[number];

export const isTokenScope = (text: string): text is TokenScope => (tokenScopes as readonly string[]).includes(text);

const ofProjects: ReadonlySet<TokenScope> = new Set(projectScopes);

/** Whether a scope is about a project, so that a token of certain projects may have it. */
export const isProjectScope = (scope: TokenScope): boolean => ofProjects.has(scope);

/** What a personal token is narrowed to; null: not in this respect. */
export interface TokenLimits {
  readonly scopes: readonly TokenScope[] | null;
  /** Their ids. */
  readonly projects: readonly string[] | null;
  /** Networks that it may be used from, in canonical form. */
  readonly addresses: readonly string[] | null;
}

/** The same as events and read models hold it: addresses may lead to a person. */
export interface SealedLimits extends Omit<TokenLimits, 'addresses'> {
  readonly addresses: Sealed | null;
}

export const unlimited = { scopes: null, projects: null, addresses: null } as const;

export const MAX_TOKEN_PROJECTS = 100;
export const MAX_TOKEN_ADDRESSES = 50;
