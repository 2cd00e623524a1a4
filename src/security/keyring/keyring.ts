import { DomainError } from '../../kernel/errors.ts';
import type { Sealed } from '../../kernel/event.ts';

/**
 * A key for each subject (`account-<id>`, `project-<id>`): what is sealed with it can be read until the subject is erased.
 * The same text of one subject always seals to the same value, so that deciders compare sealed values and a repeated append is identical.
 */
export interface Keyring {
  /** Makes the subject's key when there is none yet; throws `SubjectErased` for a subject that was erased. */
  seal(subject: string, text: string): Promise<Sealed>;
  /** Null once the subject was erased, on every instance within a second. Calls of one tick travel in one query. */
  open(sealed: Sealed): Promise<string | null>;
  /** Deletes the key for good; harmless when repeated. */
  erase(subject: string): Promise<void>;
}

/** Injection token. */
export const KEYRING = Symbol('Keyring');

export class SubjectErased extends DomainError {
  readonly code = 'SUBJECT_ERASED';

  constructor(subject: string) {
    super(`${subject} was erased.`);
  }
}

/** A sealed text that its own subject's key cannot open was changed after it was sealed. */
export class SealBroken extends DomainError {
  readonly code = 'SEAL_BROKEN';

  constructor(subject: string, options?: ErrorOptions) {
    super(`A value of ${subject} does not open with its key.`, options);
  }
}
