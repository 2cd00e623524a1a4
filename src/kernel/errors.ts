/** A refusal that a caller can understand. `platform/http/errors/error-table.ts` maps the code to a status and a body. */
export abstract class DomainError extends Error {
  abstract readonly code: string;
  /** Seconds, where the refusal knows more than the table. */
  readonly retryAfter?: number;

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

/** What a field accepts: a list of values, or the bounds of a number, of the length of a text, or of a list. */
export type AllowedValues =
  | readonly unknown[]
  | Readonly<Partial<Record<'minimum' | 'maximum' | 'minLength' | 'maxLength' | 'minItems' | 'maxItems', number>>>;

export interface InputProblem {
  readonly message: string;
  /** The path of the field, or the name of the parameter or header; absent for the request as a whole. */
  readonly param?: string;
  readonly allowed?: AllowedValues;
}

/** A refusal lists the first problems; the rest would only make it long. */
export const MAX_PROBLEMS = 20;

/** A message about one field begins with its path and a colon. */
export const paramIn = (message: string): string | undefined => /^([A-Za-z][\w-]*(?:\.[\w-]+)*): /.exec(message)?.[1];

/** Input that does not fit; names each offending field. */
export class InvalidInput extends DomainError {
  readonly code = 'INVALID_INPUT';
  readonly problems: readonly InputProblem[];

  /** `unlisted`: how many more problems there are. */
  constructor(given: string | readonly InputProblem[], { allowed, unlisted = 0 }: { allowed?: AllowedValues; unlisted?: number } = {}) {
    const all = typeof given === 'string' ? [problemOf(given, allowed)] : given;
    const problems = all.slice(0, MAX_PROBLEMS);
    const more = all.length - problems.length + unlisted;
    super([...problems.map(({ message }) => message), ...(more > 0 ? [`and ${String(more)} more problems`] : [])].join('; '));
    this.problems = problems;
  }
}

/** Collects the problems of readings that do not depend on each other, so that one refusal lists them all. */
export class FoundProblems {
  private readonly problems: InputProblem[] = [];

  get areNone(): boolean {
    return this.problems.length === 0;
  }

  /** Undefined where the reading refused. */
  read<Made>(reading: () => Made): Made | undefined {
    try {
      return reading();
    } catch (error) {
      this.note(error);
      return undefined;
    }
  }

  async readLater<Made>(reading: () => Promise<Made>): Promise<Made | undefined> {
    try {
      return await reading();
    } catch (error) {
      this.note(error);
      return undefined;
    }
  }

  refuse(): void {
    if (!this.areNone) throw new InvalidInput(this.problems);
  }

  private note(error: unknown): void {
    if (!(error instanceof InvalidInput)) throw error;
    this.problems.push(...error.problems);
  }
}

/** The problem that a message states. */
export function problemOf(message: string, allowed?: AllowedValues): InputProblem {
  const param = paramIn(message);
  return { message, ...(param !== undefined && { param }), ...(allowed !== undefined && { allowed }) };
}

/** The event store did not answer: the outcome of an append is unknown, and the identical append may be repeated. */
export class StoreUnavailable extends DomainError {
  readonly code = 'STORE_UNAVAILABLE';
}
