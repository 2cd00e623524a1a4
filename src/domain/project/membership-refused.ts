import { DomainError } from '../../kernel/errors.ts';

/**
 * Rights are checked here as well, against the project as it is when the change is written: of two administrators who remove each other at the same
 * time, the second is no administrator any more, and who has given a project away deletes it no more.
 */
export class MembershipRefused extends DomainError {
  readonly code = 'MEMBERSHIP_REFUSED';
}
