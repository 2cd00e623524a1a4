import { DomainError } from '../../../kernel/errors.ts';
import type { Sealed } from '../../../kernel/event.ts';

/**
 * Crypto-shredding: each subject (`account-<id>`, `project-<id>`) has its own encryption key, and erasing the subject deletes the key, so that
 * its texts in the append-only log can never be decrypted again. Encryption is deterministic per subject: deciders compare sealed values, and a
 * repeated append is identical.
 */
export abstract class Keyring {
  /** Encrypts; creates the subject's key if it has none. Throws `SubjectErased` for an erased subject. */
  abstract seal(subject: string, text: string): Promise<Sealed>;
  /** The same for a subject that has no key yet, without looking for one. */
  abstract sealFirst(subject: string, text: string): Promise<Sealed>;
  /** Decrypts; null when the subject is erased, on every instance within a second. Calls of one tick share one query. */
  abstract open(sealed: Sealed): Promise<string | null>;
  /** Deletes the key irrevocably; idempotent. */
  abstract erase(subject: string): Promise<void>;
}

export class SubjectErased extends DomainError {
  readonly code = 'SUBJECT_ERASED';

  constructor(subject: string) {
    super(`${subject} was erased.`);
  }
}

/** Authenticated decryption with the subject's own key failed: the value was changed after it was encrypted. */
export class SealBroken extends DomainError {
  readonly code = 'SEAL_BROKEN';

  constructor(subject: string, options?: ErrorOptions) {
    super(`A value of ${subject} does not open with its key.`, options);
  }
}
