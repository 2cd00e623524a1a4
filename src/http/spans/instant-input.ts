import { InvalidInput } from '../../kernel/errors.ts';
import { type ReadInstant, readInstant } from '../../kernel/instants.ts';

export type NamedInstant = Extract<ReadInstant, { readonly kind: 'instant' }>;

/** An instant that a request names. */
export function instantOf(given: unknown, name: string): NamedInstant {
  const read = readInstant(given);
  if (read.kind === 'invalid') throw new InvalidInput(`${name}: ${read.reason}`);
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
