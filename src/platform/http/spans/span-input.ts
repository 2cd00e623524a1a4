import { DomainError, InvalidInput } from '../../../kernel/errors.ts';
import { type Instant, readInstant } from '../../../kernel/instants.ts';
import { readBoolean } from '../validation/fields.ts';
import { instantOf } from './instant-input.ts';

/** docs/spec/interface.md#response-times; docs/spec/decisions.md#J12, #J13. */
export class StartInvalid extends DomainError {
  readonly code = 'START_INVALID';

  constructor(reason: string) {
    super(`Start time is empty or invalid: ${reason}.`);
  }
}

export interface SpanInput {
  readonly start: Instant;
  /** Default: now, in the offset of `start`. */
  readonly end: Instant;
}

/** A start in the future without an end is an empty span; an end before the start is refused. */
export function readSpan(query: Readonly<Record<string, unknown>>, now: number, usual?: { readonly lengthMs: number }): SpanInput {
  const end = query['end'] === undefined ? null : instantOf(query['end'], 'end');
  const start = startOf(query['start'], end, now, usual);
  if (end === null) return { start, end: { at: Math.max(now, start.at), offsetMinutes: start.offsetMinutes } };
  if (start.at > end.at) throw new StartInvalid('it is later than the end');
  return { start, end };
}

function startOf(given: unknown, end: Instant | null, now: number, usual?: { readonly lengthMs: number }): Instant {
  if (given === undefined && usual !== undefined) return { at: (end?.at ?? now) - usual.lengthMs, offsetMinutes: end?.offsetMinutes ?? 0 };
  const read = readInstant(given);
  if (read.kind === 'invalid') throw new StartInvalid(read.reason);
  return read;
}

/** A boolean parameter: `?excludeMaintenance`, `=true`, `=1`. */
export function readSwitch(query: Readonly<Record<string, unknown>>, name: string): boolean {
  const value = query[name];
  const found = value === undefined ? false : value === '' ? true : readBoolean(value);
  if (found === undefined) throw new InvalidInput(`${name}: must be true or false`, { allowed: [true, false] });
  return found;
}
