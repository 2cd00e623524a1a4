import { DomainError } from '../kernel/errors.ts';

/**
 * Rights are checked here as well, against the project as it is when the change is written: of two administrators who remove each other at the same
 * time, the second is no longer an administrator; a former owner can no longer delete the project.
 */
export class MembershipRefused extends DomainError {
  readonly code = 'MEMBERSHIP_REFUSED';
}
