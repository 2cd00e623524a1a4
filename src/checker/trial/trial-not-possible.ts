import { DomainError } from '../../kernel/errors.ts';

/** Trouble of our own: nothing is said about a site or a rule that could not be looked at, and nothing is answered with less than there is. */
export class TrialNotPossible extends DomainError {
  readonly code = 'TRIAL_NOT_POSSIBLE';
}
