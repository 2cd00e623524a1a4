import { DomainError } from '../../kernel/errors.ts';

/** An inconclusive trial: the cause is on our side, so no result is given rather than a partial one. */
export class TrialNotPossible extends DomainError {
  readonly code = 'TRIAL_NOT_POSSIBLE';
}
