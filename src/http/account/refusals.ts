import { DomainError } from '../../kernel/errors.ts';

export class RegistrationClosed extends DomainError {
  readonly code = 'REGISTRATION_CLOSED';

  constructor() {
    super('Registration is closed here. Ask to be invited to a project.');
  }
}

export class EmailTaken extends DomainError {
  readonly code = 'EMAIL_TAKEN';

  constructor() {
    super('email: has an account already.');
  }
}
