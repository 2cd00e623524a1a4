import { BackOff } from '../../../kernel/back-off.ts';
import type { NewEvent } from '../../../kernel/event.ts';
import type { AppendResult, ExpectedRevision } from '../event-store.ts';
import { EventTooLarge, MAX_APPEND_BYTES, serialise } from '../limits.ts';
import { StoreUnavailable } from '../../../kernel/errors.ts';
import { AccessRefused, errorType, type Connection, type Session } from './connection.ts';
import { withTimeout, type KurrentDbTimeouts } from './timeouts.ts';
import { formatPosition, toEventData } from './event-mapping.ts';
import { readBatch } from './read-stream.ts';

/** Retries the identical append (same ids, same expected revision) until its outcome is known or the deadline passed. */
export async function append(
  connection: Connection,
  timeouts: KurrentDbTimeouts,
  stream: string,
  expected: ExpectedRevision,
  events: readonly NewEvent[],
  signal?: AbortSignal,
): Promise<AppendResult> {
  // Validates before the client sees the events: a value without a JSON form would leave the client's promise unsettled and throw elsewhere.
  serialise(stream, events);
  const deadline = performance.now() + timeouts.deadlineMs;
  const backOff = new BackOff(50, 500);
  for (;;) {
    try {
      const session = await withTimeout(timeouts.attemptMs, connection.open());
      return await attempt(session, timeouts, stream, expected, events);
    } catch (error) {
      rethrowFinal(error);
      if (signal?.aborted === true || performance.now() + timeouts.attemptMs / 2 > deadline)
        throw new StoreUnavailable('the event store is not reachable; try again', {
          cause: new Error(`append to ${stream}`, { cause: error }),
        });
      await backOff.wait(signal);
      signal?.throwIfAborted();
    }
  }
}

async function attempt(
  { client }: Session,
  timeouts: KurrentDbTimeouts,
  stream: string,
  expected: ExpectedRevision,
  events: readonly NewEvent[],
): Promise<AppendResult> {
  const expectedRevision = expected === 'no stream' ? ('no_stream' as const) : BigInt(expected);
  const call = client.appendToStream(stream, events.map(toEventData), {
    expectedRevision,
    requiresLeader: true,
    deadline: timeouts.attemptMs,
  });
  try {
    const { nextExpectedRevision, position } = await withTimeout(timeouts.attemptMs, call);
    if (position) return { kind: 'appended', revision: Number(nextExpectedRevision), place: { position: formatPosition(position) } };
    // The server accepts a retry of events that it wrote but has not indexed yet without a position.
    return await findAppended(client, timeouts, stream, expected, events);
  } catch (error) {
    if (errorType(error) !== 'wrong-expected-version') throw error;
    const actual = actualRevision(error);
    const last = lastRevision(expected, events);
    if (actual === 'no stream' || actual < last) return { kind: 'conflict', actual };
    const own = await findAppended(client, timeouts, stream, expected, events).catch((reason: unknown) => {
      if (reason instanceof OtherEventsFound) return null;
      throw reason;
    });
    return own ?? { kind: 'conflict', actual };
  }
}

class OtherEventsFound extends Error {}

const lastRevision = (expected: ExpectedRevision, events: readonly NewEvent[]): number =>
  (expected === 'no stream' ? -1 : expected) + events.length;

/** The position of these very events; throws when the stream holds others there. */
async function findAppended(
  client: Session['client'],
  timeouts: KurrentDbTimeouts,
  stream: string,
  expected: ExpectedRevision,
  events: readonly NewEvent[],
): Promise<AppendResult> {
  const revision = lastRevision(expected, events);
  const from = revision - events.length + 1;
  const found = await readBatch(client, timeouts, stream, { from, direction: 'forward', limit: events.length });
  const position = found.at(-1)?.position;
  const same = found.length === events.length && found.every((recorded, index) => recorded.id === events[index]?.id);
  if (!same || position === undefined) throw new OtherEventsFound(`${stream} holds other events at revision ${String(from)}`);
  return { kind: 'appended', revision, place: { position: formatPosition(position) } };
}

function actualRevision(error: unknown): ExpectedRevision {
  const actual = error instanceof Error && 'actualVersion' in error ? error.actualVersion : undefined;
  return typeof actual === 'bigint' && actual >= 0n ? Number(actual) : 'no stream';
}

/** Throws the errors that no retry can mend. */
function rethrowFinal(error: unknown): void {
  const type = errorType(error);
  if (type === 'maximum-append-size-exceeded')
    throw new EventTooLarge(`an append has more than ${String(MAX_APPEND_BYTES)} bytes`, { cause: error });
  if (type === 'access-denied') throw new AccessRefused(error);
  if (type === 'stream-deleted') throw error;
}
