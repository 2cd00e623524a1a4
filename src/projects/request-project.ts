import type { RoleId } from '../accounts/rights/roles.ts';
import { RequestSlot } from '../platform/http/context/request-slot.ts';
import type { AreaRow } from './areas/area.view.ts';
import type { CheckRow } from './checks/check.view.ts';
import type { KnownFacts } from './project.presenter.ts';
import type { ProjectRow } from './project.view.ts';

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

/** The project that the path names and the caller's role in it. */
export const accessSlot = new RequestSlot<ProjectAccess>('project access');
export const CurrentProject = accessSlot.parameter();

/** The check that the path names, read on the way to its project. */
export const checkSlot = new RequestSlot<CheckRow>('check');
export const CurrentCheck = checkSlot.parameter();

/** The area that the path names, read on the way to its project. */
export const areaSlot = new RequestSlot<AreaRow>('area');
export const CurrentArea = areaSlot.parameter();
