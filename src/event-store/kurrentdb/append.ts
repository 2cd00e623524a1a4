import type { NewEvent } from '../../kernel/event.ts';
import type { AppendResult, ExpectedRevision } from '../event-store.ts';
import { EventTooLarge, MAX_APPEND_BYTES, serialise } from '../limits.ts';
import { StoreUnavailable } from '../../kernel/errors.ts';
import { AccessRefused, errorType, type Connection, type Session } from './connection.ts';
import type { Patience } from './options.ts';
import { BackOff, within } from './patience.ts';
import { formatPosition } from './positions.ts';
import { readBatch } from './read-stream.ts';
import { toEventData } from './recorded.ts';

/** One append: tried with the same ids and the same explicit revision until the server said what became of it, or the deadline passed. */
export async function append(
  connection: Connection,
  patience: Patience,
  stream: string,
  expected: ExpectedRevision,
  events: readonly NewEvent[],
): Promise<AppendResult> {
  // Before the client sees them: a value that JSON cannot hold would leave its promise unsettled and throw beside it.
  serialise(stream, events);
  const deadline = performance.now() + patience.deadlineMs;
  const backOff = new BackOff(50, 500);
  for (;;) {
    try {
      const session = await within(patience.attemptMs, connection.open());
      return await attempt(session, patience, stream, expected, events);
    } catch (error) {
      refuse(error);
      if (performance.now() + patience.attemptMs / 2 > deadline)
        throw new StoreUnavailable('the event store did not take the write in time; try again', {
          cause: new Error(`append to ${stream}`, { cause: error }),
        });
      await backOff.wait();
    }
  }
}

async function attempt(
  { client }: Session,
  patience: Patience,
  stream: string,
  expected: ExpectedRevision,
  events: readonly NewEvent[],
): Promise<AppendResult> {
  const expectedRevision = expected === 'no stream' ? ('no_stream' as const) : BigInt(expected);
  const call = client.appendToStream(stream, events.map(toEventData), {
    expectedRevision,
    requiresLeader: true,
    deadline: patience.attemptMs,
  });
  try {
    const { nextExpectedRevision, position } = await within(patience.attemptMs, call);
    if (position) return { kind: 'appended', revision: Number(nextExpectedRevision), place: { position: formatPosition(position) } };
    // A repeat of what the server wrote but did not index yet is accepted without a position.
    return await placeOf(client, patience, stream, expected, events);
  } catch (error) {
    if (errorType(error) !== 'wrong-expected-version') throw error;
    const actual = actualRevision(error);
    const last = lastRevision(expected, events);
    if (actual === 'no stream' || actual < last) return { kind: 'conflict', actual };
    const own = await placeOf(client, patience, stream, expected, events).catch((reason: unknown) => {
      if (reason instanceof OthersEvents) return null;
      throw reason;
    });
    return own ?? { kind: 'conflict', actual };
  }
}

class OthersEvents extends Error {}

const lastRevision = (expected: ExpectedRevision, events: readonly NewEvent[]): number =>
  (expected === 'no stream' ? -1 : expected) + events.length;

/** Where these very events stand; throws when others stand there. */
async function placeOf(
  client: Session['client'],
  patience: Patience,
  stream: string,
  expected: ExpectedRevision,
  events: readonly NewEvent[],
): Promise<AppendResult> {
  const revision = lastRevision(expected, events);
  const from = revision - events.length + 1;
  const there = await readBatch(client, patience, stream, { from, direction: 'forward', limit: events.length });
  const position = there.at(-1)?.position;
  const same = there.length === events.length && there.every((recorded, index) => recorded.id === events[index]?.id);
  if (!same || position === undefined) throw new OthersEvents(`others' events stand at revision ${String(from)} of ${stream}`);
  return { kind: 'appended', revision, place: { position: formatPosition(position) } };
}

function actualRevision(error: unknown): ExpectedRevision {
  const actual = error instanceof Error && 'actualVersion' in error ? error.actualVersion : undefined;
  return typeof actual === 'bigint' && actual >= 0n ? Number(actual) : 'no stream';
}

/** What no repeat can mend. */
function refuse(error: unknown): void {
  const type = errorType(error);
  if (type === 'maximum-append-size-exceeded')
    throw new EventTooLarge(`an append has more than ${String(MAX_APPEND_BYTES)} bytes`, { cause: error });
  if (type === 'access-denied') throw new AccessRefused(error);
  if (type === 'stream-deleted') throw error;
}
