import { roles } from './roles.ts';
import type { ProjectRow } from '../../projects/project.view.ts';
import type { Principal } from '../../platform/http/context/principal.ts';
import type { ProjectAccess } from '../../projects/request-project.ts';
import type { ProjectNeed } from './right.ts';

export function accessOf(projectId: string, row: ProjectRow, { userId, service }: Principal): ProjectAccess {
  if (service !== undefined) return { projectId, row, role: service.projectId === projectId ? service.role : null, owner: false };
  const role = row.members.find((member) => member.userId === userId)?.role ?? null;
  return { projectId, row, role, owner: row.payerId === userId };
}

/** A system auditor may read every project and its evidence, and has no other right in any. */
export const mayUse = (access: ProjectAccess, needs: ProjectNeed, { systemRole }: Principal): boolean =>
  systemRole === 'auditor' ? needs === 'read' || needs === 'evidence' : fulfils(access, needs);

function fulfils({ role, owner }: ProjectAccess, needs: ProjectNeed): boolean {
  if (role === null) return false;
  if (needs === 'member') return true;
  if (needs === 'evidence') return roles[role].permissions.includes('editTests');
  return needs === 'owner' ? owner : roles[role].permissions.includes(needs);
}
