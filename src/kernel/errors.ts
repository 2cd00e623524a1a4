/** A refusal that a caller can understand. `http/errors/error-table.ts` maps the code to a status and a body. */
export abstract class DomainError extends Error {
  abstract readonly code: string;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** Backpressure: an expected refusal, of which there may be thousands a second, so it has no stack trace. */
export abstract class RefusedUnderLoad extends DomainError {
  constructor(message: string) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Input that does not fit; names each offending field. */
export class InvalidInput extends DomainError {
  readonly code = 'INVALID_INPUT';
}

/** The event store did not answer: the outcome of an append is unknown, and the identical append may be repeated. */
export class StoreUnavailable extends DomainError {
  readonly code = 'STORE_UNAVAILABLE';
}
