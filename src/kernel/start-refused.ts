/** The service cannot start, for a reason that an operator can mend: printed as it is, without a stack trace, and the program ends with 1. */
export class StartRefused extends Error {
  override readonly name = 'StartRefused';
}
