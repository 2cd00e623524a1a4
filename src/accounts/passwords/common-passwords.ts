import { DomainError } from '../../kernel/errors.ts';

export class PasswordTooCommon extends DomainError {
  readonly code = 'PASSWORD_TOO_COMMON';

  constructor() {
    super('password: is one of the most common passwords; choose another one.');
  }
}

let list: Promise<ReadonlySet<string>> | undefined;

/** A list of some ten thousands of leaked passwords, the most common first, loaded with the first password that is set. */
async function load(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  return new Set(dictionary['passwords-common']);
}

/** In any case and spelling of its letters. */
export async function refuseCommonPassword(password: string): Promise<void> {
  const common = await (list ??= load());
  if (common.has(password.normalize('NFKC').trim().toLowerCase())) throw new PasswordTooCommon();
}
