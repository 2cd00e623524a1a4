import type { Permission } from '../../domain/project/roles.ts';

/** What an operation on a project asks of its caller. `member`: any; `owner`: who pays for it. */
export type ProjectNeed = Permission | 'member' | 'owner';

export interface ProjectRight {
  readonly kind: 'project';
  readonly needs: ProjectNeed;
  /** The answer to an unknown id: 404 where the interface lists it, elsewhere the 403 of what is not yours (docs/spec/decisions.md#G6). */
  readonly unknown: 403 | 404;
  /** A system auditor reads it also when the project was deleted; the handler finds no loaded row then. */
  readonly afterDeletion: boolean;
}

export type Right =
  /** No token needed. */
  | { readonly kind: 'public' }
  /** The caller's own account: any token, also on a plan without API access (docs/spec/decisions.md#A6). */
  | { readonly kind: 'account' }
  /** Anybody whose plan has API access. */
  | { readonly kind: 'caller' }
  /** The same, but for auditors, who change nothing and start nothing (docs/spec/beyond.md#B1). */
  | { readonly kind: 'creator' }
  | { readonly kind: 'system'; readonly who: 'admin' | 'reader' }
  | ProjectRight;

export const open: Right = { kind: 'public' };
export const account: Right = { kind: 'account' };
export const caller: Right = { kind: 'caller' };
export const creator: Right = { kind: 'creator' };
export const systemAdmin: Right = { kind: 'system', who: 'admin' };
/** Administrators and auditors. */
export const systemReader: Right = { kind: 'system', who: 'reader' };

export const project = (needs: ProjectNeed): Right => ({ kind: 'project', needs, unknown: 403, afterDeletion: false });
/** Where the interface lists 404. */
export const listed = (needs: ProjectNeed): Right => ({ kind: 'project', needs, unknown: 404, afterDeletion: false });
export const history: Right = { kind: 'project', needs: 'read', unknown: 403, afterDeletion: true };
