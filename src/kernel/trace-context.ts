import { randomBytes } from 'node:crypto';
import type { EventChain } from './event.ts';

/** The position of an operation in a distributed trace: what the header `traceparent` of W3C Trace Context states. */
export interface TraceContext {
  /** 32 hexadecimal digits, not all zero. */
  readonly traceId: string;
  /** 16 hexadecimal digits, not all zero: the operation that the next ones are children of. */
  readonly spanId: string;
  /** The caller may have recorded the trace; who continues it follows this decision. */
  readonly sampled: boolean;
}

const SAMPLED = 1;
const FORM = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
/** The longest that is examined: later versions may append fields. */
const MAX_LENGTH = 256;

/**
 * Parses as https://www.w3.org/TR/trace-context/ demands: lower case, ids that are not zero, nothing behind the flags in version 00, and of a later
 * version the four fields that it shares with 00. Null for anything else, such as two headers that were joined by a comma.
 */
export function parseTraceparent(header: unknown): TraceContext | null {
  if (typeof header !== 'string' || header.length > MAX_LENGTH) return null;
  const [, version, traceId, spanId, flags, rest] = FORM.exec(header) ?? [];
  if (traceId === undefined || spanId === undefined || (version === '00' && rest !== undefined)) return null;
  return { traceId, spanId, sampled: (Number.parseInt(flags ?? '0', 16) & SAMPLED) === SAMPLED };
}

/** Always of version 00, and of its flags the one that is defined there: nothing else of a caller's header is passed on. */
export const formatTraceparent = ({ traceId, spanId, sampled }: TraceContext): string => `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;

/** An all-zero id is invalid; with 64 random bits it is never met, yet one bit rules it out. */
const newSpanId = (): string => {
  const bytes = randomBytes(8);
  bytes[7] = (bytes[7] ?? 0) | 1;
  return bytes.toString('hex');
};

/** A new trace, sampled, so that receivers that follow the caller's decision record it, too. */
export const newTrace = (): TraceContext => ({ traceId: randomBytes(16).toString('hex'), spanId: newSpanId(), sampled: true });

/** The next operation of the same trace. */
export const childOf = (parent: TraceContext): TraceContext => ({ ...parent, spanId: newSpanId() });

const hex = (uuid: string): string => uuid.replaceAll('-', '');

/**
 * The trace of a chain of events. Where no request brought one, both ids are derived from the ids of the chain, which are UUIDs, so that every process
 * finds the same trace, also after a restart.
 */
export const traceOf = ({ correlationId, causationId, traceparent }: EventChain): TraceContext =>
  parseTraceparent(traceparent) ?? { traceId: hex(correlationId), spanId: hex(causationId).slice(0, 16), sampled: true };
