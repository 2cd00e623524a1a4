/** The service cannot start for a reason that an operator can fix: printed without a stack trace, exit code 1. */
export class StartRefused extends Error {
  override readonly name = 'StartRefused';
}
