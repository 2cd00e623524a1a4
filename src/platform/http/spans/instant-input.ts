import { InvalidInput } from '../../../kernel/errors.ts';
import { type ReadInstant, readInstant } from '../../../kernel/instants.ts';

export type NamedInstant = Extract<ReadInstant, { readonly kind: 'instant' }>;

/** Why a value is not an instant; empty when it is one. */
export function instantProblem(value: unknown): string {
  const read = readInstant(value);
  return read.kind === 'invalid' ? `must be an ISO 8601 date-time: ${read.reason}` : '';
}

/** Reads an instant of a request; `name` is the field or parameter. */
export function instantOf(given: unknown, name: string): NamedInstant {
  const read = readInstant(given);
  if (read.kind === 'invalid') throw new InvalidInput(`${name}: ${instantProblem(given)}`);
  return read;
}

/** `from` and `to` of a list, each null where it has no bound. */
export function readFromTo(query: Readonly<Record<string, unknown>>): {
  readonly from: NamedInstant | null;
  readonly to: NamedInstant | null;
} {
  const from = query['from'] === undefined ? null : instantOf(query['from'], 'from');
  const to = query['to'] === undefined ? null : instantOf(query['to'], 'to');
  if (from !== null && to !== null && from.utc > to.utc) throw new InvalidInput('to: must be later than from');
  return { from, to };
}
