import type { RoleId } from '../../domain/project/roles.ts';
import type { KnownFacts } from '../project/project-facts.ts';
import type { ProjectRow } from '../../projections/read-models/project/project.view.ts';

/** The project of a request as the guard has read it, and the caller's role in it. */
export interface ProjectAccess {
  readonly projectId: string;
  readonly row: ProjectRow;
  /** Null: a system auditor, who reads without being a member. */
  readonly role: RoleId | null;
  readonly owner: boolean;
  /** Read in the same round trip when the answer contains them. */
  readonly facts?: KnownFacts;
}
