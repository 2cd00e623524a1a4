import type { RoleId } from '../../domain/project/roles.ts';
import type { AreaRow } from '../../projections/area/area.view.ts';
import type { CheckRow } from '../../projections/check/check.view.ts';
import type { ProjectRow } from '../../projections/project/project.view.ts';

/** The project of a request, as the guard has read it, and what its caller is in it. */
export interface ProjectAccess {
  readonly projectId: string;
  readonly row: ProjectRow;
  /** Null: a system auditor, who reads without being a member. */
  readonly role: RoleId | null;
  readonly owner: boolean;
  /** The check of a path `/test/:id` or `/tests/:id`; the guard has found its project by it. */
  readonly check?: CheckRow;
  /** The group of a path `/area/:id`. */
  readonly area?: AreaRow;
}
