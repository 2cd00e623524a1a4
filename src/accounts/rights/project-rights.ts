import { type RoleId, roles } from './roles.ts';
import type { Principal } from '../../platform/http/context/principal.ts';
import type { ProjectNeed } from './right.ts';

/** What rights in a project are decided on: who is a member, and who pays. */
export interface ProjectMembers {
  readonly payerId: number;
  readonly members: readonly { readonly userId: number; readonly role: RoleId }[];
}

/** A project, and the caller's role in it. */
export interface MemberAccess<Row extends ProjectMembers = ProjectMembers> {
  readonly projectId: string;
  readonly row: Row;
  /** Null for a system auditor, who reads without being a member. */
  readonly role: RoleId | null;
  readonly owner: boolean;
}

export function accessOf<Row extends ProjectMembers>(projectId: string, row: Row, { userId, service }: Principal): MemberAccess<Row> {
  if (service !== undefined) return { projectId, row, role: service.projectId === projectId ? service.role : null, owner: false };
  const role = row.members.find((member) => member.userId === userId)?.role ?? null;
  return { projectId, row, role, owner: row.payerId === userId };
}

/** A system auditor may read every project and its evidence, and has no other right in any. */
export const mayUse = (access: MemberAccess, needs: ProjectNeed, { systemRole }: Principal): boolean =>
  systemRole === 'auditor' ? needs === 'read' || needs === 'evidence' : fulfils(access, needs);

function fulfils({ role, owner }: MemberAccess, needs: ProjectNeed): boolean {
  if (role === null) return false;
  if (needs === 'member') return true;
  if (needs === 'evidence') return roles[role].permissions.includes('editTests');
  return needs === 'owner' ? owner : roles[role].permissions.includes(needs);
}
