import type { MemberAccess } from '../accounts/rights/project-rights.ts';
import { accessSlot } from '../accounts/rights/request-right.ts';
import { RequestSlot } from '../platform/http/context/request-slot.ts';
import type { AreaRow } from './areas/area.view.ts';
import type { CheckRow } from './checks/check.view.ts';
import type { KnownFacts } from './project.presenter.ts';
import type { ProjectRow } from './project.view.ts';

/** The project of a request as the guard has read it, and the caller's role in it. */
export interface ProjectAccess extends MemberAccess<ProjectRow> {
  /** Read in the same round trip when the answer contains them. */
  readonly facts?: KnownFacts;
}

/** The project that the path names and the caller's role in it. */
export const CurrentProject = accessSlot.parameter();

/** The check that the path names, read on the way to its project. */
export const checkSlot = new RequestSlot<CheckRow>('check');
export const CurrentCheck = checkSlot.parameter();

/** The area that the path names, read on the way to its project. */
export const areaSlot = new RequestSlot<AreaRow>('area');
export const CurrentArea = areaSlot.parameter();
